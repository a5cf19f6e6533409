// Bodies of several runs: those of one name are the same, whatever number they have in each.

// What tells a body of a run: its name, and the how-manieth of that name it is.
function bodyKeys(bodies) {
  const met = new Map();
  return bodies.map(({ name }) => {
    const before = met.get(name) || 0;
    met.set(name, before + 1);
    return `${before} ${name}`;
  });
}

// Gives each body of the runs its colour, the same in all of them, and the runs the keys of their bodies. All bodies, each once: {body,
// key, colour}.
function unite(runs) {
  const all = new Map();
  for (const run of runs) {
    run.keys = bodyKeys(run.bodies);
    run.keys.forEach((key, b) => all.has(key) || all.set(key, { body: run.bodies[b], key }));
  }
  const colours = bodyColours([...all.values()].map(({ body }) => body));
  [...all.values()].forEach((one, k) => (one.colour = colours[k]));
  for (const run of runs) run.bodies.forEach((body, b) => (body.colour = all.get(run.keys[b]).colour));
  return [...all.values()];
}

// The keys of the two bodies of a pair of a run, in an order that is the same in all runs; null where there is no such pair.
function pairKeys(run, pair) {
  const bodies = run.pairs[pair];
  return bodies ? bodies.map((b) => run.keys[b] || `body ${b}`).sort() : null;
}
