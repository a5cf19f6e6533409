// Puts the page together, and follows the theme, the address and the printer.

const root = document.documentElement;
const addressed = new Map(location.hash.slice(1).split("&").map((part) => part.split("=")));
if (/^(light|dark)$/.test(addressed.get("theme"))) root.dataset.theme = addressed.get("theme");

const model = readModel(document.getElementById("data").textContent);
const clock = makeClock(model);
let theme = readTheme();

const hasPlayback = model.bodies.length > 0;
const section = document.getElementById("viewer");
section.hidden = !hasPlayback && clock.end === clock.start;
const stageArea = document.getElementById("stage-area");
let viewer = null;
if (hasPlayback) viewer = attachViewer(model, clock, theme);
else document.querySelectorAll("#view, #tools, #bodies, .keys").forEach((part) => part.remove());
attachTransport(clock, viewer);

const plots = [];
for (const data of model.plots) {
  const { card, plot } = buildPlot(data, clock, theme);
  document.getElementById("plots").append(card);
  if (plot) plots.push(plot);
}
stageArea.classList.toggle("alone", !hasPlayback || plots.length === 0);

function followTheme() {
  theme = readTheme();
  if (viewer) viewer.takeTheme(theme);
  for (const plot of plots) {
    plot.theme = theme;
    plot.keys.forEach((key) => key.paint(theme));
    plot.draw();
  }
}
const dark = matchMedia("(prefers-color-scheme: dark)");
dark.addEventListener("change", followTheme);
document.getElementById("theme").addEventListener("click", () => {
  const isDark = root.dataset.theme ? root.dataset.theme === "dark" : dark.matches;
  root.dataset.theme = isDark ? "light" : "dark";
  followTheme();
});

// Paper is light and finer than a screen. Everything is drawn at once: the printer does not wait for the next
// frame.
let chosen;
function forPaper(on) {
  if (on) {
    chosen = root.dataset.theme;
    root.dataset.theme = "light";
    document.querySelectorAll("details").forEach((details) => (details.open = true));
  } else if (chosen) {
    root.dataset.theme = chosen;
  } else {
    delete root.dataset.theme;
  }
  followTheme();
  for (const plot of plots) {
    plot.ratio = on ? 3 : undefined;
    plot.resize();
  }
  if (viewer) viewer.draw();
}
addEventListener("beforeprint", () => forPaper(true));
addEventListener("afterprint", () => forPaper(false));

// #t=0.4&view=yaw,pitch,distance (degrees, metres)
if (addressed.has("t")) clock.set(Number(addressed.get("t")));
if (viewer && addressed.has("view")) {
  const [yaw, pitch, distance] = addressed.get("view").split(",").map(Number);
  const radians = (degrees) => (degrees * Math.PI) / 180;
  if (isFinite(yaw) && isFinite(pitch)) viewer.camera.look(radians(yaw), radians(Math.max(-89, Math.min(89, pitch))));
  if (distance > 0) viewer.camera.zoom(distance / viewer.camera.distance);
}
