// A plot's card: headline, legend with live values, note, and what the pointer does: hover reads, click moves
// the time, drag zooms, wheel zooms once the plot has the focus (so that scrolling the page past it does
// not), double click resets.

const MOST_SHOWN = 10;

function buildPlot(data, clock, theme) {
  const card = document.createElement("figure");
  card.className = "card plot";
  const head = card.appendChild(document.createElement("figcaption"));
  head.className = "plot-head";
  head.appendChild(document.createElement("h2")).textContent = data.title || data.id;
  head.append(...csvLinks(data));

  rankCurves(data);
  const legend = card.appendChild(document.createElement("div"));
  legend.className = "plot-legend";
  const area = card.appendChild(document.createElement("div"));
  area.className = "plot-area";
  area.tabIndex = -1;
  if (data.note) {
    const note = card.appendChild(document.createElement("p"));
    note.className = "plot-note";
    note.textContent = data.note;
  }
  if (!data.curves.some((curve) => curve.v.some(isFinite))) {
    area.remove();
    const empty = card.appendChild(document.createElement("p"));
    empty.className = "empty";
    empty.textContent = "No finite value was recorded.";
    return { card, plot: null };
  }
  const plot = makePlot(area, data, clock, theme);
  if (data.groups) offerGroups(head, data, plot);
  // Those that are on come first.
  const ordered = [...data.curves].sort((a, b) => b.on - a.on);
  plot.keys = ordered.map((curve) => legendKey(legend, curve, plot, theme));
  if (!data.groups && data.curves.length > MOST_SHOWN) {
    const more = card.appendChild(document.createElement("p"));
    more.className = "plot-note";
    more.textContent = `The ${MOST_SHOWN} tallest of ${data.curves.length} curves are on; the legend has the others.`;
  }
  const showValues = () => {
    for (const { curve, value } of plot.keys) {
      if (curve.on) value.textContent = quantity(valueAt(curve, clock.time), data.unit, 4);
    }
  };
  plot.showValues = showValues;
  clock.on("time", showValues);
  showValues();
  attachPlotPointer(area, plot, clock);
  return { card, plot };
}

// The cards of all plots, put on the page; gives those with something to draw.
function buildPlots(plotData, clock, theme) {
  const made = plotData.map((data) => buildPlot(data, clock, theme));
  document.getElementById("plots").append(...made.map(({ card }) => card));
  return made.map(({ plot }) => plot).filter(Boolean);
}

// A list of what is drawn, one curve of it for each run.
function offerGroups(head, data, plot) {
  const list = document.createElement("select");
  list.setAttribute("aria-label", "What is drawn");
  for (const group of data.groups) list.append(new Option(group, group));
  plot.choose = (group) => {
    if (!data.groups.includes(group)) return;
    list.value = group;
    for (const { curve, key } of plot.keys) {
      curve.on = curve.group === group;
      key.hidden = !curve.on;
      key.setAttribute("aria-pressed", curve.on);
    }
    plot.showValues();
    plot.draw();
  };
  list.addEventListener("change", () => plot.choose(list.value));
  list.hidden = data.groups.length < 2;
  head.insertBefore(list, head.querySelector(".csv"));
}

// Colours go by position; where there are many curves only the tallest are on at first.
function rankCurves(data) {
  const peak = (curve) => curve.v.reduce((most, v) => (isFinite(v) ? Math.max(most, Math.abs(v)) : most), 0);
  const peaks = data.curves.map(peak);
  const order = data.curves.map((_, k) => k).sort((a, b) => peaks[b] - peaks[a]);
  data.curves.forEach((curve, k) => {
    if (data.groups) {
      curve.on = curve.group === data.groups[0];
      curve.style = (theme) => curveStyle(theme, curve.run);
      return;
    }
    curve.on = data.curves.length <= MOST_SHOWN || order.indexOf(k) < MOST_SHOWN;
    curve.style = (theme) => curveStyle(theme, k);
  });
}

function legendKey(legend, curve, plot, theme) {
  const key = legend.appendChild(document.createElement("button"));
  key.type = "button";
  key.className = "key";
  key.title = `${curve.name}: show or hide`;
  key.setAttribute("aria-pressed", curve.on);
  key.innerHTML =
    '<svg width="22" height="8" aria-hidden="true"><line x1="0" y1="4" x2="22" y2="4" stroke-width="2.4"/></svg>' +
    '<span class="name"></span><span class="value"></span>';
  key.querySelector(".name").textContent = curve.name;
  const line = key.querySelector("line");
  const paint = (now) => {
    const { colour, dash } = curve.style(now);
    line.setAttribute("stroke", colour);
    line.setAttribute("stroke-dasharray", dash.join(" "));
  };
  paint(theme);
  key.addEventListener("click", () => {
    curve.on = !curve.on;
    key.setAttribute("aria-pressed", curve.on);
    plot.draw();
  });
  key.hidden = curve.group !== undefined && !curve.on;
  return { curve, key, value: key.querySelector(".value"), paint };
}

function attachPlotPointer(area, plot, clock) {
  const tip = area.appendChild(document.createElement("div"));
  tip.className = "plot-tip";
  tip.hidden = true;
  let down = null;

  const inside = (x) => Math.min(plot.width - MARGIN.right, Math.max(MARGIN.left, x));
  const showTip = (x, y) => {
    plot.hover = plot.toTime(inside(x));
    const lines = [];
    for (const curve of plot.data.curves) {
      if (curve.on && lines.length < 12) lines.push(`${curve.name}  ${quantity(valueAt(curve, plot.hover), plot.data.unit, 5)}`);
    }
    tip.textContent = [timeText(plot.hover, (clock.to - clock.from) / 500), ...lines].join("\n");
    tip.hidden = false;
    placeTip(tip, x, y, plot.width, plot.height);
    plot.drawOverlay();
  };
  const hideTip = () => {
    plot.hover = null;
    tip.hidden = true;
    plot.drawOverlay();
  };
  const place = (event) => {
    const box = area.getBoundingClientRect();
    return [event.clientX - box.left, event.clientY - box.top];
  };

  area.addEventListener("pointerdown", (event) => {
    if (event.button !== 0 || !plot.xAxis) return;
    area.setPointerCapture(event.pointerId);
    area.focus({ preventScroll: true });
    const [x] = place(event);
    // A finger, or a press on the cursor itself, drags the time; elsewhere a drag is a zoom.
    const scrub = event.pointerType === "touch" || Math.abs(x - plot.toX(clock.time)) < 6;
    down = { x, scrub, moved: false };
  });
  area.addEventListener("pointermove", (event) => {
    if (!plot.xAxis) return;
    const [x, y] = place(event);
    if (!down) return showTip(x, y);
    down.moved = down.moved || Math.abs(x - down.x) > 4;
    if (!down.moved) return;
    if (down.scrub) {
      clock.play(false);
      clock.set(plot.toTime(inside(x)));
    } else {
      plot.band = [inside(down.x), inside(x)];
      plot.drawOverlay();
    }
  });
  area.addEventListener("pointerup", (event) => {
    if (!down) return;
    const [x] = place(event);
    if (!down.moved) {
      clock.play(false);
      clock.set(plot.toTime(inside(x)));
    } else if (plot.band) {
      const [a, b] = plot.band.map(plot.toTime);
      plot.band = null;
      clock.zoom(Math.min(a, b), Math.max(a, b));
    }
    down = null;
    plot.drawOverlay();
  });
  area.addEventListener("pointercancel", () => {
    down = null;
    plot.band = null;
    hideTip();
  });
  area.addEventListener("pointerleave", hideTip);
  area.addEventListener("dblclick", () => clock.zoom(clock.start, clock.end));
  area.addEventListener(
    "wheel",
    (event) => {
      const held = event.ctrlKey || event.shiftKey || document.activeElement === area;
      if (!held || !plot.xAxis) return;
      event.preventDefault();
      const amount = event.deltaY || event.deltaX;
      const factor = Math.exp(Math.max(-0.6, Math.min(0.6, amount * (event.ctrlKey ? 0.01 : 0.002))));
      const middle = plot.toTime(inside(place(event)[0]));
      clock.zoom(middle - (middle - clock.from) * factor, middle + (clock.to - middle) * factor);
    },
    { passive: false },
  );
}
