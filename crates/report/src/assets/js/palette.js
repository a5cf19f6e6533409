// Colours: curves from the style sheet (Okabe and Ito's colour-blind-safe set, adjusted per theme), bodies
// from the same family without the vermilion that contacts wear.

const CURVE_COLOURS = 7;
const DASHES = [[], [7, 4], [2, 3], [9, 3, 2, 3]];
const BODY_COLOURS = [
  [0, 114, 178], [230, 159, 0], [0, 158, 115], [204, 121, 167], [86, 180, 233], [240, 228, 66], [122, 104, 190], [150, 110, 70],
];
const FIXED_COLOUR = [150, 156, 164];

const THEME_NAMES = ["page", "card", "ink", "soft", "faint", "line", "grid", "accent", "floor", "floor-line", "signal", "cursor"];

function readTheme() {
  const style = getComputedStyle(document.documentElement);
  const get = (name) => style.getPropertyValue("--" + name).trim();
  const theme = { curves: [] };
  for (const name of THEME_NAMES) theme[name.replace("-", "_")] = get(name);
  for (let i = 0; i < CURVE_COLOURS; i++) theme.curves.push(get("c" + i));
  theme.font = getComputedStyle(document.body).fontFamily;
  return theme;
}

// Colour and dash of the n-th curve; after seven colours the dash changes.
function curveStyle(theme, n) {
  return { colour: theme.curves[n % CURVE_COLOURS], dash: DASHES[Math.floor(n / CURVE_COLOURS) % DASHES.length] };
}

// sRGB bytes of each body; fixed bodies are grey and do not use up the palette.
function bodyColours(bodies) {
  let next = 0;
  return bodies.map((body) => {
    if (body.colour) return body.colour;
    if (body.kind === "fixed" || body.kind === "plane") return FIXED_COLOUR;
    return BODY_COLOURS[next++ % BODY_COLOURS.length];
  });
}

function cssColour([r, g, b]) {
  return `rgb(${r},${g},${b})`;
}

// "#rrggbb" to linear light 0..1, for the shaders.
function linearOf(hex) {
  const n = parseInt(hex.slice(1), 16);
  return linearRgb([n >> 16, (n >> 8) & 255, n & 255]);
}

function linearRgb(rgb) {
  return rgb.map((c) => (c / 255) ** 2.2);
}
