// When a contact was one: takes a curve or the frames, gives its phases, and draws them with the force over time.

const HISTORY_POINTS = 300;

// Phases of a list of times in which something holds: [[first, last], ...] as indices.
function phasesOf(count, holds) {
  const out = [];
  let open = false;
  for (let i = 0; i < count; i++) {
    const now = holds(i);
    if (now && open) out[out.length - 1][1] = i;
    else if (now) out.push([i, i]);
    open = now;
  }
  return out;
}

// {x, v, phases} of a pair, step by step, from the curve of its normal force.
function pairHistory(curve) {
  if (!curve) return null;
  return { x: curve.x, v: curve.v, phases: phasesOf(curve.count, (i) => curve.v[i] > 0) };
}

// The same of one contact, frame by frame; `rows` are those of what met. Its force is that of all its rows in the frame.
function contactHistory(run, rows) {
  const { met, point, force } = run.contacts;
  const v = new Float64Array(run.time.length).fill(NaN);
  for (let f = 0; f < run.time.length; f++) {
    const from = point.starts[f] || 0;
    let here = null;
    for (let c = 0; c < (point.counts[f] || 0); c++) {
      if (!rows.has(met[from + c])) continue;
      here = here || { values: cloudFrame(force, f), sum: [0, 0, 0] };
      for (let axis = 0; axis < 3; axis++) here.sum[axis] += here.values[3 * c + axis];
    }
    if (here) v[f] = Math.hypot(...here.sum);
  }
  return { x: run.time, v, phases: phasesOf(v.length, (f) => !isNaN(v[f])) };
}

// The phase at a time: {since, times}, the start and which one it is; null between phases. A sample stands for the time up to it.
function phaseAt(history, t) {
  if (!history) return null;
  const { x, phases } = history;
  let i = Math.max(0, lastNotAbove(x, t));
  if (x[i] < t && i + 1 < x.length) i++;
  const at = phases.findIndex(([first, last]) => first <= i && i <= last);
  return at < 0 ? null : { since: x[Math.max(0, phases[at][0] - 1)], times: at + 1 };
}

function sinceText(history, clock) {
  const phase = phaseAt(history, clock.time);
  if (!phase) return history && history.phases.length ? "not now" : "never";
  const which = history.phases.length > 1 ? `, ${phase.times} of ${history.phases.length}` : "";
  return `${timeText(phase.since, clock.resolution)}${which}`;
}

// A row with name, curve of the force, bars of the phases and a cursor; a press sets the time.
function historyRow(name, history, clock, { colour, dash }) {
  const row = document.createElement("div");
  row.className = "history-row";
  const label = row.appendChild(document.createElement("span"));
  label.className = "name";
  label.textContent = name;
  label.title = name;
  const span = clock.end - clock.start || 1;
  const place = (t) => (100 * (t - clock.start)) / span;
  const box = row.appendChild(document.createElement("div"));
  box.className = "history";
  const peak = history ? history.v.reduce((most, v) => (isFinite(v) && v > most ? v : most), 0) : 0;
  if (peak > 0) {
    // The largest of each piece; nothing is no force.
    const { x, v } = history;
    const size = Math.max(1, Math.ceil(x.length / HISTORY_POINTS));
    const points = [];
    for (let i = 0; i < x.length; i += size) {
      let most = 0;
      for (let k = i; k < i + size && k < x.length; k++) if (v[k] > most) most = v[k];
      points.push(`${place(x[i]).toFixed(2)},${(20 - (19 * most) / peak).toFixed(2)}`);
    }
    box.innerHTML =
      '<svg viewBox="0 0 100 20" preserveAspectRatio="none" aria-hidden="true"><polyline fill="none" stroke-width="1.3" vector-effect="non-scaling-stroke"/></svg>';
    const line = box.querySelector("polyline");
    line.setAttribute("points", points.join(" "));
    line.setAttribute("stroke", colour);
    line.setAttribute("stroke-dasharray", dash.join(" "));
  }
  const lane = box.appendChild(document.createElement("div"));
  lane.className = "lane";
  for (const [first, last] of history ? history.phases.slice(0, 400) : []) {
    const bar = lane.appendChild(document.createElement("span"));
    bar.style.left = `${place(history.x[Math.max(0, first - 1)])}%`;
    bar.style.width = `${place(history.x[last]) - place(history.x[Math.max(0, first - 1)])}%`;
    bar.style.background = colour;
  }
  const cursor = box.appendChild(document.createElement("i"));
  cursor.className = "now";
  box.addEventListener("pointerdown", (event) => {
    const { left, width } = box.getBoundingClientRect();
    clock.play(false);
    if (width > 0) clock.set(clock.start + ((event.clientX - left) / width) * span);
  });
  const text = row.appendChild(document.createElement("span"));
  text.className = "since";
  const follow = () => {
    cursor.style.left = `${place(clock.time)}%`;
    const phase = phaseAt(history, clock.time);
    const ever = history && history.phases.length;
    text.textContent = phase ? `since ${sinceText(history, clock)}` : ever ? "not in touch now" : "never in touch";
  };
  row.title = peak > 0 ? `${name}: force up to ${quantity(peak, "N", 3)}` : name;
  return { row, follow };
}
