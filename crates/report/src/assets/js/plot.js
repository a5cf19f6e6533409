// One plot: takes curves and the shared span of time, draws axes and curves on one canvas and the time cursor
// on another, so that playing does not redraw the curves.

const PAPER_WIDTH = 320;
const MARGIN = { left: 52, right: 10, top: 21, bottom: 22 };

function makePlot(area, data, clock, theme) {
  const base = area.appendChild(document.createElement("canvas"));
  const overlay = area.appendChild(document.createElement("canvas"));
  const plot = { data, theme, width: 0, height: 0, hover: null, band: null, xAxis: null, yAxis: null };
  const shows = (v) => isFinite(v) && (!data.log || v > 0);

  function resize() {
    const ratio = plot.ratio || window.devicePixelRatio || 1;
    // On paper two stand side by side, whatever the screen had.
    plot.width = plot.ratio ? PAPER_WIDTH : area.clientWidth;
    plot.height = area.clientHeight;
    for (const canvas of [base, overlay]) {
      canvas.width = Math.max(1, Math.round(plot.width * ratio));
      canvas.height = Math.max(1, Math.round(plot.height * ratio));
      canvas.getContext("2d").setTransform(ratio, 0, 0, ratio, 0, 0);
    }
    plot.draw();
  }

  // Lowest and highest value in the span, among curves that are switched on; with the neighbours outside,
  // which the lines reach for.
  function valueRange() {
    let low = Infinity;
    let high = -Infinity;
    for (const curve of data.curves) {
      if (!curve.on) continue;
      const from = Math.max(0, lastNotAbove(curve.x, clock.from, curve.count));
      for (let i = from; i < curve.count; i++) {
        const v = curve.v[i];
        if (shows(v)) {
          if (v < low) low = v;
          if (v > high) high = v;
        }
        if (curve.x[i] > clock.to) break;
      }
    }
    if (data.log || !(high > low)) return [low, high];
    // Curves that live near zero show their zero.
    if (low > 0 && low < 0.35 * high) low = 0;
    if (high < 0 && high > 0.35 * low) high = 0;
    const pad = (high - low) * 0.06;
    return [low === 0 ? 0 : low - pad, high === 0 ? 0 : high + pad];
  }

  const inner = () => ({ w: plot.width - MARGIN.left - MARGIN.right, h: plot.height - MARGIN.top - MARGIN.bottom });
  plot.toX = (t) => MARGIN.left + plot.xAxis.place(t) * inner().w;
  plot.toY = (v) => MARGIN.top + (1 - plot.yAxis.place(v)) * inner().h;
  plot.toTime = (x) => clock.from + ((x - MARGIN.left) / inner().w) * (clock.to - clock.from);

  function drawAxes(c) {
    const { w, h } = inner();
    c.font = `11.5px ${plot.theme.font}`;
    c.lineWidth = 1;
    c.strokeStyle = plot.theme.grid;
    c.fillStyle = plot.theme.soft;
    c.textAlign = "right";
    c.textBaseline = "middle";
    for (const tick of plot.yAxis.ticks) {
      const y = Math.round(plot.toY(tick.value)) + 0.5;
      if (y < MARGIN.top - 1 || y > MARGIN.top + h + 1) continue;
      c.strokeStyle = tick.value === 0 ? plot.theme.faint : plot.theme.grid;
      c.beginPath();
      c.moveTo(MARGIN.left, y);
      c.lineTo(MARGIN.left + w, y);
      c.stroke();
      c.fillText(tick.text, MARGIN.left - 7, y);
    }
    c.strokeStyle = plot.theme.faint;
    c.textBaseline = "top";
    c.textAlign = "center";
    const unitWidth = c.measureText(plot.xAxis.unit).width;
    for (const tick of plot.xAxis.ticks) {
      const x = Math.round(plot.toX(tick.value)) + 0.5;
      c.beginPath();
      c.moveTo(x, MARGIN.top + h);
      c.lineTo(x, MARGIN.top + h + 4);
      c.stroke();
      if (x + c.measureText(tick.text).width / 2 < MARGIN.left + w - unitWidth - 6) c.fillText(tick.text, x, MARGIN.top + h + 7);
    }
    c.textAlign = "right";
    c.fillText(plot.xAxis.unit, MARGIN.left + w, MARGIN.top + h + 7);
    c.textAlign = "left";
    c.textBaseline = "alphabetic";
    c.fillText(plot.yAxis.unit, 4, 10);
  }

  function drawCurve(c, curve) {
    const start = Math.max(0, lastNotAbove(curve.x, clock.from, curve.count));
    c.strokeStyle = curve.style(plot.theme).colour;
    c.fillStyle = c.strokeStyle;
    c.setLineDash(curve.style(plot.theme).dash);
    c.lineWidth = 1.6;
    c.lineJoin = "round";
    c.beginPath();
    let run = 0;
    let x = 0, y = 0;
    // A sample between two gaps has no line to show it: give it a dot.
    const endRun = () => {
      if (run === 1) {
        c.moveTo(x + 1.6, y);
        c.arc(x, y, 1.6, 0, 7);
      }
      run = 0;
    };
    for (let i = start; i < curve.count; i++) {
      if (!shows(curve.v[i]) || !isFinite(curve.x[i])) {
        endRun();
      } else {
        x = plot.toX(curve.x[i]);
        y = plot.toY(curve.v[i]);
        if (run++) c.lineTo(x, y);
        else c.moveTo(x, y);
      }
      if (curve.x[i] > clock.to) break;
    }
    endRun();
    c.stroke();
    c.setLineDash([]);
  }

  plot.draw = () => {
    const { w, h } = inner();
    if (w < 20) return;
    const c = base.getContext("2d");
    c.clearRect(0, 0, plot.width, plot.height);
    plot.xAxis = linearAxis(clock.from, clock.to, "s", w / 75);
    // The span of time is the clock's, even when it is empty.
    const [low, high] = valueRange();
    plot.yAxis = (data.log ? logAxis : linearAxis)(low, high, data.unit, h / 30);
    drawAxes(c);
    c.save();
    c.beginPath();
    c.rect(MARGIN.left, MARGIN.top - 2, w, h + 4);
    c.clip();
    for (const curve of data.curves) if (curve.on) drawCurve(c, curve);
    c.restore();
    plot.drawOverlay();
  };

  function verticalLine(c, t, colour, width) {
    if (t < clock.from || t > clock.to) return;
    const x = plot.toX(t);
    c.strokeStyle = colour;
    c.lineWidth = width;
    c.beginPath();
    c.moveTo(x, MARGIN.top - 4);
    c.lineTo(x, plot.height - MARGIN.bottom);
    c.stroke();
  }

  plot.drawOverlay = () => {
    if (!plot.xAxis) return;
    const c = overlay.getContext("2d");
    c.clearRect(0, 0, plot.width, plot.height);
    if (plot.band) {
      c.globalAlpha = 0.15;
      c.fillStyle = plot.theme.accent;
      c.fillRect(Math.min(...plot.band), MARGIN.top, Math.abs(plot.band[1] - plot.band[0]), inner().h);
      c.globalAlpha = 1;
    }
    c.globalAlpha = 0.6;
    verticalLine(c, clock.time, plot.theme.cursor, 1.2);
    c.globalAlpha = 1;
    const at = plot.hover === null ? clock.time : plot.hover;
    if (plot.hover !== null) verticalLine(c, plot.hover, plot.theme.faint, 1);
    if (at < clock.from || at > clock.to) return;
    for (const curve of data.curves) {
      const v = valueAt(curve, at);
      if (!curve.on || !shows(v)) continue;
      c.fillStyle = curve.style(plot.theme).colour;
      c.strokeStyle = plot.theme.card;
      c.lineWidth = 1.5;
      c.beginPath();
      c.arc(plot.toX(at), plot.toY(v), 3.4, 0, 7);
      c.fill();
      c.stroke();
    }
  };

  // A printer may leave a canvas empty, but no picture: the plot stands on paper as one.
  plot.toPaper = (on) => {
    area.querySelectorAll("img").forEach((img) => img.remove());
    for (const canvas of [base, overlay]) {
      canvas.hidden = on;
      if (on) area.appendChild(document.createElement("img")).src = canvas.toDataURL();
    }
  };

  new ResizeObserver(resize).observe(area);
  plot.resize = resize;
  clock.on("time", plot.drawOverlay);
  clock.on("span", plot.draw);
  return plot;
}

// The value of a curve at a time, between samples; NaN beside a gap and outside.
function valueAt(curve, t) {
  const i = lastNotAbove(curve.x, t, curve.count);
  if (i < 0) return NaN;
  if (i + 1 >= curve.count || curve.x[i] === t) return t > curve.x[i] ? NaN : curve.v[i];
  const s = (t - curve.x[i]) / (curve.x[i + 1] - curve.x[i]);
  if (!isFinite(curve.v[i]) || !isFinite(curve.v[i + 1])) return s < 0.5 ? curve.v[i] : curve.v[i + 1];
  return curve.v[i] * (1 - s) + curve.v[i + 1] * s;
}
