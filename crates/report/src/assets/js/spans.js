// When in its step each contact overlapped: bars over the step that ended at the frame under the time cursor.

const SPAN_ROWS = 60;

// `box` holds the bars; hidden where the run has none.
function attachSpans(model, clock, box) {
  const { span } = model.contacts;
  if (!span) return;
  box.hidden = false;
  const head = document.createElement("p");
  const rows = document.createElement("div");
  rows.className = "span-rows";
  // It scrolls: the keyboard must reach it.
  rows.tabIndex = 0;
  rows.setAttribute("role", "group");
  rows.setAttribute("aria-label", "penetration intervals");
  box.append(head, rows);
  let frame = -1;

  function show() {
    const { i, j, s } = frameAt(model.time, clock.time);
    const next = s < 0.5 ? i : j;
    if (next === frame) return;
    frame = next;
    const now = contactsAt(model, frame);
    const list = [];
    for (let c = 0; c < now.count; c++) {
      const [a, b] = now.span.subarray(2 * c, 2 * c + 2);
      const force = Math.hypot(...now.force.subarray(3 * c, 3 * c + 3));
      if (b > 0 || a > 0) list.push({ a, b, force, depth: now.depth[c], pair: now.pair[c] });
    }
    // The strongest are shown where there are too many, in the order in which they begin.
    const shown = list.sort((x, y) => y.force - x.force).slice(0, SPAN_ROWS);
    shown.sort((x, y) => x.a - y.a || x.b - y.b || x.pair - y.pair);
    const end = model.time[frame];
    const less = list.length > shown.length ? `, the ${shown.length} strongest shown` : "";
    const count = list.length === 1 ? "1 penetration interval" : `${list.length || "no"} penetration intervals`;
    head.textContent = frame === 0 ? "no step has been made yet" : `${count} in the step of ${quantity(model.dt, "s", 3)} that ended at ${timeText(end, clock.resolution)}${less}`;
    rows.replaceChildren(
      ...shown.map(({ a, b, force, depth, pair }) => {
        const row = document.createElement("div");
        const name = document.createElement("span");
        name.textContent = pairName(model, pair);
        const lane = document.createElement("span");
        lane.className = "lane";
        const bar = document.createElement("span");
        bar.className = b >= 1 ? "open" : "";
        bar.style.left = `${100 * a}%`;
        bar.style.width = `${100 * Math.max(0, b - a)}%`;
        lane.append(bar);
        row.append(name, lane);
        const at = (t) => `t₀ + ${quantity(t * model.dt, "s", 3)}`;
        row.title = `${name.textContent}: ${at(a)} to ${b >= 1 ? "the end of the step" : at(b)}, force ${quantity(force, "N", 3)}, depth ${quantity(depth, "m", 3)}`;
        return row;
      }),
    );
  }
  // Where pictures take long, not with each of them: to lay out a list anew takes as long as to read a frame.
  let timer = 0;
  clock.on("time", () => {
    if (!drawsSlowly()) return show();
    timer ||= setTimeout(() => {
      timer = 0;
      show();
    }, STANDS_STILL);
  });
  show();
}
