// The axes of the world in the corner of a picture: x red, y green, z blue, as the camera sees them.

const AXIS_LENGTH = 22;

// Puts it into `box`; gives what turns it to a view matrix.
function makeTriad(box) {
  const axis = (name) =>
    `<g class="axis-${name}"><line stroke="currentColor" stroke-width="2.4" stroke-linecap="round"/>` +
    `<text fill="currentColor" text-anchor="middle" dominant-baseline="central">${name}</text></g>`;
  box.insertAdjacentHTML("beforeend", `<svg class="triad" viewBox="-34 -34 68 68" aria-hidden="true">${["x", "y", "z"].map(axis).join("")}</svg>`);
  const svg = box.lastElementChild;
  const groups = [...svg.children];
  let last = "";
  return (view) => {
    const turned = groups.map((_, k) => [view[4 * k], -view[4 * k + 1], view[4 * k + 2]]);
    // A picture that only moves in time has the axes it had.
    if (String(turned) === last) return;
    last = String(turned);
    groups.forEach((group, k) => {
      const place = (part, x, y, length) => {
        part.setAttribute(x, (turned[k][0] * length).toFixed(2));
        part.setAttribute(y, (turned[k][1] * length).toFixed(2));
      };
      place(group.firstChild, "x2", "y2", AXIS_LENGTH);
      place(group.lastChild, "x", "y", AXIS_LENGTH + 7);
    });
    // What points away lies under what points here.
    svg.append(...[0, 1, 2].sort((a, b) => turned[a][2] - turned[b][2]).map((k) => groups[k]));
  };
}
