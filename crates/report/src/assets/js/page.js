// What every page does: follows the theme, the printer and the address.

const root = document.documentElement;
const addressed = new Map(location.hash.slice(1).split("&").map((part) => part.split("=")));
if (/^(light|dark)$/.test(addressed.get("theme"))) root.dataset.theme = addressed.get("theme");
const byId = (id) => document.getElementById(id);

// The list of bodies, the panel of one, and what a press in a picture picks; gives the panel.
function attachPicked({ runs, viewers, clock, bodies, why }) {
  const list = attachBodyList(viewers, bodies, byId("bodies"), (key) => card.pick(key));
  const card = attachBodyCard({ runs, viewers, clock, list });
  attachPicking(runs, viewers, why, card);
  return card;
}

// `card` is null where there is no picture.
function followPage(viewers, plots, clock, why, card) {
  function followTheme() {
    const theme = readTheme();
    viewers.forEach((viewer) => viewer.takeTheme(theme));
    for (const plot of plots) {
      plot.theme = theme;
      plot.keys.forEach((key) => key.paint(theme));
      plot.draw();
    }
    document.querySelectorAll("[data-run-colour]").forEach((swatch) => {
      // What is dashed in the plots is striped here.
      const { colour, dash } = curveStyle(theme, Number(swatch.dataset.runColour));
      swatch.style.background = dash.length ? `repeating-linear-gradient(90deg,${colour} 0 4px,${theme.card} 4px 6px)` : colour;
    });
    why.repaint();
  }
  const dark = matchMedia("(prefers-color-scheme: dark)");
  dark.addEventListener("change", followTheme);
  byId("theme").addEventListener("click", () => {
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
      plot.toPaper(on);
    }
    viewers.forEach((viewer) => viewer.draw());
  }
  addEventListener("beforeprint", () => forPaper(true));
  addEventListener("afterprint", () => forPaper(false));

  // #t=0.4&view=yaw,pitch,distance (degrees, metres)
  if (addressed.has("t")) clock.set(Number(addressed.get("t")));
  const [viewer] = viewers;
  if (viewer && addressed.has("view")) {
    const [yaw, pitch, distance] = addressed.get("view").split(",").map(Number);
    const radians = (degrees) => (degrees * Math.PI) / 180;
    if (isFinite(yaw) && isFinite(pitch)) viewer.camera.look(radians(yaw), radians(Math.max(-89, Math.min(89, pitch))));
    if (distance > 0) viewer.camera.zoom(distance / viewer.camera.distance);
  }
  why.fromAddress();
  if (card) card.fromAddress();
  followTheme();
}
