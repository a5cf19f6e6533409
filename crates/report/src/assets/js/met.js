// What met at a contact and what friction does there: takes a run and the contacts of a frame, gives words and numbers.

// In the order of the numbers of the data.
const HOLDS = ["–", "sticks", "slides", "breaks away", "slides in part", "creeps", "parted", "–"];
const TURNED = 16;

// The name of a row of what met.
function metName(run, row) {
  const name = (b) => (run.bodies[b] ? run.bodies[b].name : `body ${b}`);
  const pair = run.pairs[run.met.pair[row]] || [];
  const kind = run.met.kind[row];
  const [first, second] = kind & TURNED ? [pair[1], pair[0]] : pair;
  const [i, j, k, l] = run.met.ids.subarray(4 * row, 4 * row + 4);
  const other = first === second ? "itself" : name(second);
  switch (kind & ~TURNED) {
    case 1: return `vertex ${i} of ${name(first)} – face ${j}·${k}·${l} of ${other}`;
    case 2: return `edge ${i}–${j} of ${name(first)} – edge ${k}–${l} of ${other}`;
    case 3: return `vertex ${i} of ${name(first)} – plane ${other}`;
    case 4: return "the contact surface, as a whole";
    case 5: return "the intersection volume, as a whole";
    case 6: return `cell ${[i, j, k].map((n) => minus(String(n))).join(", ")} of the intersection volume${l > 0 ? `, place ${l}` : ""}`;
    default: return "–";
  }
}

// What stays the same of a contact from frame to frame: of a vertex that slides from face to face, the vertex.
function metIdentity(run, row) {
  const kind = run.met.kind[row];
  const ids = run.met.ids.subarray(4 * row, 4 * row + ((kind & ~TURNED) === 1 ? 1 : 4));
  return `${run.met.pair[row]} ${kind} ${ids.join(" ")}`;
}

// Rows of one identity, as a set.
function metRows(run, identity) {
  const rows = new Set();
  for (let row = 0; run.met && row < run.met.kind.length; row++) if (metIdentity(run, row) === identity) rows.add(row);
  return rows;
}

// Forces of a contact and what room the cone leaves: {normal, friction, mu, slack, hold}; NaN where it does not apply. Numbers are kept
// in 16 bits: a slack below what that leaves open is 0.
function gripOf(run, now, c) {
  const { contacts } = run;
  const step = (cloud) => (cloud ? cloud.step[now.frame] : 0);
  const force = Math.hypot(...now.force.subarray(3 * c, 3 * c + 3));
  const rubs = Boolean(now.friction);
  const normal = now.normal ? now.normal[c] : now.multiplier ? now.multiplier[c] / run.dt : force;
  const coarse = now.normal ? step(contacts.normal) : now.multiplier ? step(contacts.multiplier) / run.dt : 0;
  const friction = rubs ? now.friction[c] : 0;
  const hold = now.hold ? now.hold[c] : 0;
  const [still, moving] = run.mu.subarray(2 * now.pair[c], 2 * now.pair[c] + 2);
  // The static coefficient bounds what is held or gives way, the kinetic one what slides or creeps.
  const mu = hold === 1 || hold === 3 || hold === 4 ? still : hold === 2 || hold === 5 ? moving : NaN;
  const exact = mu * normal - friction;
  const slack = Math.abs(exact) <= mu * coarse + step(contacts.friction) ? 0 : exact;
  return { force, normal, friction, mu, slack, hold };
}
