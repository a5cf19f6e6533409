// Puts the page of one run together.

const raw = JSON.parse(byId("data").textContent);
const model = unpackRun(raw, raw.shapes.map(unpackShape));
const clock = makeClock(model.time, raw.span);
const theme = readTheme();

const hasPlayback = model.bodies.length > 0;
byId("viewer").hidden = !hasPlayback && clock.end === clock.start;
byId("stage-area").classList.toggle("alone", !hasPlayback || raw.plots === 0);
const shared = sharedView([model]);
const viewer = hasPlayback ? attachViewer(model, clock, theme, byId, shared) : null;
const viewers = viewer ? [viewer] : [];
if (!viewer) byId("tools").hidden = byId("bodies").hidden = true;
if (!hasPlayback) document.querySelectorAll("#view, #view-readout, #view-scale, #tools, #bodies, .keys").forEach((part) => part.remove());
viewers.forEach((viewer) => viewer.draw());

whenRead((rest) => {
  completeRun(model, raw, rest);
  completeView(shared, [model]);
  viewers.forEach((viewer) => viewer.complete());
  attachTransport(clock, viewer && attachTools([viewer], byId));
  const plotData = rest.plots.map(unpackPlot);
  const plots = buildPlots(plotData, clock, theme);
  const force = plotData.find((plot) => plot.id === "force");
  const curveOf = (what, label) => force && force.curves.find((curve) => curve.name === `${label}, ${what}`);
  const why = attachWhy({ runs: [model], viewers, clock, curveOf, choose() {} });
  const card = viewer && attachPicked({ runs: [model], viewers, clock, bodies: shared.bodies, why });
  followPage(viewers, plots, clock, why, card);
});
