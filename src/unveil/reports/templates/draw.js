/*! Above: Vega, Vega-Lite, Vega-Embed, (c) University of Washington Interactive Data Lab, BSD-3-Clause; D3, (c) Mike Bostock, ISC. */
"use strict";
(() => {
  const theme = JSON.parse(document.getElementById("theme").textContent);
  for (const holder of document.querySelectorAll("[data-chart]")) {
    const specification = document.getElementById("chart-" + holder.dataset.chart);
    const options = { mode: "vega-lite", actions: false, renderer: "svg", ast: true, config: theme };
    vegaEmbed(holder, JSON.parse(specification.textContent), options).then(
      () => { holder.dataset.drawn = "yes"; },
      (error) => { holder.dataset.drawn = "no"; console.error(error); }
    );
  }
  // A chart in a closed view has no width until the view is opened.
  for (const one of document.querySelectorAll("details.choice")) {
    one.addEventListener("toggle", () => window.dispatchEvent(new Event("resize")));
  }
  // A table is sorted by a button in the head of each column; empty cells stay last.
  const value = (row, place) => {
    const cell = row.cells[place], figure = cell.querySelector("data");
    if (!cell.textContent.trim()) return null;
    return figure && cell.textContent.trim().startsWith(figure.textContent)
      ? Number(figure.value) : cell.textContent.trim();
  };
  const compare = (a, b) => {
    if (typeof a === "number" && typeof b === "number") return a - b;
    if (typeof a !== typeof b) return typeof a === "number" ? -1 : 1;
    return a.localeCompare(b, "en", { numeric: true });
  };
  for (const table of document.querySelectorAll("table[data-sortable]")) {
    const heads = [...table.tHead.rows[0].cells], body = table.tBodies[0];
    heads.forEach((head, place) => {
      const button = document.createElement("button");
      button.type = "button";
      button.className = "sort";
      button.setAttribute("aria-label", "Sort by " + head.textContent);
      button.addEventListener("click", () => {
        const down = head.getAttribute("aria-sort") === "ascending";
        for (const one of heads) one.removeAttribute("aria-sort");
        head.setAttribute("aria-sort", down ? "descending" : "ascending");
        const rows = [...body.rows].map((row) => ({ row, key: value(row, place) }));
        rows.sort((a, b) => {
          if (a.key === null || b.key === null) return (a.key === null) - (b.key === null);
          return compare(a.key, b.key) * (down ? -1 : 1);
        });
        body.append(...rows.map((one) => one.row));
      });
      head.append(button);
    });
  }
  // On paper nothing can be opened: tables behind charts are printed with them.
  const closed = [];
  window.addEventListener("beforeprint", () => {
    for (const one of document.querySelectorAll("details:not([open])")) {
      one.open = true;
      closed.push(one);
    }
  });
  window.addEventListener("afterprint", () => {
    while (closed.length) closed.pop().open = false;
  });
})();
