"""What is looked for on a page: functions of JavaScript that list what is wrong with it."""

from __future__ import annotations

LAPTOP, PHONE, PAPER = 1280, 390, 718  # pixels; paper is A4 less Chromium's margins
HEIGHT = 900

# Charts that are not drawn, that have no height, nothing in them, or something at no place.
EMPTY = """() => [...document.querySelectorAll('[data-chart]')].flatMap(holder => {
  const svg = holder.querySelector('svg'), marks = holder.querySelectorAll('.role-mark');
  if (holder.dataset.drawn !== 'yes' || !svg) return [holder.dataset.chart + ': not drawn'];
  const drawn = [...marks].flatMap(mark => [...mark.querySelectorAll('path, text, line')]);
  const wrong = [];
  if (svg.getBoundingClientRect().height < 40) wrong.push('has no height');
  if (!drawn.length) wrong.push('has no marks');
  const plot = svg.querySelector('.background').getBoundingClientRect();
  if (plot.width < 0.3 * holder.clientWidth) wrong.push('is only ' + plot.width + ' wide');
  if (/NaN|undefined|Infinity/.test(svg.innerHTML)) wrong.push('has a mark at no place');
  return wrong.map(what => holder.dataset.chart + ': ' + what);
})"""
# Words of a chart that its edge cuts off; those of a word that is not shown are not looked at.
CUT = """() => [...document.querySelectorAll('[data-chart]')].flatMap(holder => {
  const svg = holder.querySelector('svg'), box = svg.getBoundingClientRect();
  return [...svg.querySelectorAll('text')].flatMap(text => {
    const own = text.getBoundingClientRect(), at = getComputedStyle(text);
    if (!own.width || at.opacity === '0' || at.visibility === 'hidden') return [];
    const out = Math.max(box.left - own.left, own.right - box.right,
                         box.top - own.top, own.bottom - box.bottom);
    return out > 1.5 ? [`${holder.dataset.chart}: ${text.textContent} by ${out}`] : [];
  });
})"""
# What reaches beyond the right edge; what scrolls by itself is left out.
WIDE = """() => {
  const edge = document.documentElement.clientWidth + 1;
  const wide = document.documentElement.scrollWidth > edge ? ['the page scrolls'] : [];
  for (const one of document.querySelectorAll('body *')) {
    const box = one.getBoundingClientRect(), rolls = one.closest('.scroll');
    if (rolls && getComputedStyle(rolls).overflowX !== 'visible' && one !== rolls) continue;
    if (box.width && box.right > edge && !one.closest('svg *'))
      wide.push(`${one.tagName} ${one.className} ${one.closest('[id]')?.id} ${box.right - edge}`);
  }
  return wide.slice(0, 9);
}"""
# Links into the page that lead nowhere, and names that two elements have.
LOST = """() => {
  const names = [...document.querySelectorAll('[id]')].map(one => one.id);
  const twice = names.filter((name, place) => names.indexOf(name) !== place);
  const links = [...document.querySelectorAll('a')].map(link => link.getAttribute('href'));
  return [...twice, ...links.filter(to => !to.startsWith('#') || !names.includes(to.slice(1)))];
}"""
# What somebody could not read; contrasts, of which half the time goes, are looked at if asked.
AXE = """contrast => axe.run({
  resultTypes: ['violations'], rules: {'color-contrast': {enabled: contrast}}
}).then(found => found.violations.map(
  one => `${one.id}: ${one.help}: ${one.nodes.slice(0, 3).map(node => node.html.slice(0, 200))}`
))"""
# Tables that are not to be seen.
HIDDEN = """() => [...document.querySelectorAll('figure:not(.small) table')].filter(
  table => !table.checkVisibility({contentVisibilityAuto: true}) || !table.offsetHeight
).map(table => table.caption.textContent)"""
