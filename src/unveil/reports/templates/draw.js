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
