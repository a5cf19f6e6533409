// Axes: which ticks to show between two values, and what to write at them.

// Round steps of 1, 2 or 5 times a power of ten, about `count` of them.
function linearTicks(low, high, count) {
  const step = niceLength((high - low) / Math.max(1, count));
  const places = Math.max(0, -Math.floor(Math.log10(step) + 1e-9));
  const ticks = [];
  for (let k = Math.ceil(low / step - 1e-9); k * step <= high + step * 1e-9; k++) {
    const text = minus((k * step).toFixed(Math.min(12, places)));
    ticks.push({ value: k * step, text: text.replace(/^−(0(\.0*)?)$/, "$1") });
  }
  return ticks;
}

// A linear axis in the unit that suits it: {low, high, unit, scale, ticks, place(value) in 0..1}.
function linearAxis(low, high, unit, count) {
  if (!(high > low)) {
    const middle = isFinite(low) ? low : 0;
    const half = Math.abs(middle) * 0.1 || 1;
    [low, high] = [middle - half, middle + half];
  }
  const prefix = prefixFor(Math.max(Math.abs(low), Math.abs(high)), unit);
  const ticks = linearTicks(low / prefix.scale, high / prefix.scale, count).map((t) => ({ ...t, value: t.value * prefix.scale }));
  return { low, high, unit: prefix.unit, ticks, place: (v) => (v - low) / (high - low) };
}

// A logarithmic axis over whole decades, at most 18 of them.
function logAxis(low, high, unit, count) {
  if (!(low > 0 && high > 0)) [low, high] = [1e-1, 1e1];
  let top = Math.ceil(Math.log10(high) - 1e-9);
  let bottom = Math.max(Math.floor(Math.log10(low) + 1e-9), top - 18);
  if (top === bottom) [top, bottom] = [top + 1, bottom - 1];
  const every = Math.max(1, Math.ceil((top - bottom) / count));
  const ticks = [];
  for (let e = bottom; e <= top; e++) {
    if ((top - e) % every === 0) ticks.push({ value: 10 ** e, text: e === 0 ? "1" : e === 1 ? "10" : "10" + superscript(e) });
  }
  return { low: 10 ** bottom, high: 10 ** top, unit, ticks, place: (v) => (Math.log10(v) - bottom) / (top - bottom) };
}
