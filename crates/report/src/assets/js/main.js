// Puts the page of one run together.

const model = readModel(byId("data").textContent);
const clock = makeClock(model);
const theme = readTheme();

const hasPlayback = model.bodies.length > 0;
byId("viewer").hidden = !hasPlayback && clock.end === clock.start;
let viewer = null;
if (hasPlayback) viewer = attachViewer(model, clock, theme, byId, sharedView([model]));
if (!viewer) byId("tools").hidden = byId("bodies").hidden = true;
if (!hasPlayback) document.querySelectorAll("#view, #tools, #bodies, .keys").forEach((part) => part.remove());
attachTransport(clock, viewer && attachTools([viewer], byId));

const plots = [];
for (const data of model.plots) {
  const { card, plot } = buildPlot(data, clock, theme);
  byId("plots").append(card);
  if (plot) plots.push(plot);
}
byId("stage-area").classList.toggle("alone", !hasPlayback || plots.length === 0);
const viewers = viewer ? [viewer] : [];
const force = model.plots.find((plot) => plot.id === "force");
const curveOf = (what, label) => force && force.curves.find((curve) => curve.name === `${label}, ${what}`);
const why = attachWhy({ runs: [model], viewers, clock, curveOf, choose() {} });
followPage(viewers, plots, clock, why);
