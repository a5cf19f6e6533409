// The page's one time: everything that shows a moment reads it and hears of its changes. Also the span of
// time that all plots share.

const SPEEDS = [0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10];

// From the first to the last moment of frames and plots; `frames` are the times of the frames.
function makeClock(frames, [start, end]) {
  const heard = { time: [], span: [], play: [] };
  const tell = (what) => heard[what].forEach((listener) => listener());
  const span = end - start;
  const clock = {
    start, end, time: start, playing: false, speed: niceSpeed(span), from: start, to: end,
    resolution: frames.length > 1 ? span / (frames.length - 1) : span / 1000,
    on(what, listener) {
      heard[what].push(listener);
    },
    set(t) {
      const next = Math.min(end, Math.max(start, t));
      if (next === clock.time || !isFinite(next)) return;
      clock.time = next;
      tell("time");
    },
    // The span shown by all plots.
    zoom(from, to) {
      const least = span * 1e-6;
      from = Math.max(start, from);
      to = Math.min(end, to);
      if (!(to - from > least)) return;
      clock.from = from;
      clock.to = to;
      tell("span");
    },
    play(on) {
      if (on === clock.playing || span === 0) return;
      clock.playing = on;
      if (on && clock.time >= end) clock.set(start);
      if (on) requestAnimationFrame((now) => tick(now, now));
      tell("play");
    },
    setSpeed(speed) {
      clock.speed = speed;
      tell("play");
    },
    // Moves by whole frames and lands on one.
    step(count) {
      clock.play(false);
      if (frames.length === 0) return clock.set(clock.time + (count * span) / 100);
      const { i, s } = frameAt(frames, clock.time);
      const here = s > 0 && count < 0 ? i + 1 : i;
      clock.set(frames[Math.min(frames.length - 1, Math.max(0, here + count))]);
    },
  };
  function tick(now, before) {
    if (!clock.playing) return;
    clock.set(clock.time + ((now - before) / 1000) * clock.speed);
    if (clock.time >= end) return clock.play(false);
    requestAnimationFrame((next) => tick(next, now));
  }
  return clock;
}

// Real time if the run then takes 2 to 15 s to watch, else the nearest speed that does.
function niceSpeed(span) {
  if (span >= 2 && span <= 15) return 1;
  const wish = span / 6;
  return SPEEDS.reduce((best, s) => (Math.abs(Math.log(s / wish)) < Math.abs(Math.log(best / wish)) ? s : best), 1);
}

// Last index of a rising list that is not above t; -1 if all are.
function lastNotAbove(list, t, count = list.length) {
  let low = -1;
  let high = count;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (list[middle] <= t) low = middle;
    else high = middle;
  }
  return low;
}

// The frames around a time: between i and j, s of the way (0..1).
function frameAt(time, t) {
  const i = Math.max(0, lastNotAbove(time, t));
  const j = Math.min(time.length - 1, i + 1);
  const gap = time[j] - time[i];
  return { i, j, s: gap > 0 ? Math.min(1, Math.max(0, (t - time[i]) / gap)) : 0 };
}
