// Colours: curves from the style sheet (Okabe and Ito's colour-blind-safe set, adjusted per theme), bodies
// from the same family without the vermilion that contacts wear.

const CURVE_COLOURS = 7;
const DASHES = [[], [7, 4], [2, 3], [9, 3, 2, 3]];
const BODY_COLOURS = [
  [0, 114, 178], [230, 159, 0], [0, 158, 115], [204, 121, 167], [86, 180, 233], [240, 228, 66], [122, 104, 190], [150, 110, 70],
];
const FIXED_COLOUR = [150, 156, 164];

// Marks of contacts may have one of these colours, `--s0` … of the style sheet; the first that no body is like.
const SIGNALS = 6;
const UNLIKE = 0.11;

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

// Places of sRGB bytes in Oklab, with lightness counted half: shading changes that most.
function labOf(rgb) {
  const [r, g, b] = linearRgb(rgb);
  const l = Math.cbrt(0.4122214708 * r + 0.5363325363 * g + 0.0514459929 * b);
  const m = Math.cbrt(0.2119034982 * r + 0.6806995451 * g + 0.1073969566 * b);
  const s = Math.cbrt(0.0883024619 * r + 0.2817188376 * g + 0.6299787005 * b);
  return [
    0.5 * (0.2104542553 * l + 0.793617785 * m - 0.0040720468 * s),
    1.9779984951 * l - 2.428592205 * m + 0.4505937099 * s,
    0.0259040371 * l + 0.7827717662 * m - 0.808675766 * s,
  ];
}

// The number of the colour of contact marks among bodies of these colours.
function chooseSignal(bodies, signals) {
  const places = bodies.map(labOf);
  const away = signals.map((hex) => {
    const n = parseInt(hex.slice(1), 16);
    const place = labOf([n >> 16, (n >> 8) & 255, n & 255]);
    return Math.min(Infinity, ...places.map((p) => norm(sub(p, place))));
  });
  const unlike = away.findIndex((d) => d >= UNLIKE);
  return unlike >= 0 ? unlike : away.indexOf(Math.max(...away));
}

// Marks of the page get the colour that no body has.
function takeSignal(bodies) {
  const root = document.documentElement;
  const style = getComputedStyle(root);
  const signals = Array.from({ length: SIGNALS }, (_, k) => style.getPropertyValue(`--s${k}`).trim());
  root.style.setProperty("--signal", `var(--s${chooseSignal(bodies, signals)})`);
}
