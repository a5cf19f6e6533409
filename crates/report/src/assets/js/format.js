// Numbers as text: SI prefixes, a few significant digits, powers of ten.

const PREFIXES = [[1e12, "T"], [1e9, "G"], [1e6, "M"], [1e3, "k"], [1, ""], [1e-3, "m"], [1e-6, "µ"], [1e-9, "n"], [1e-12, "p"]];
const PREFIXABLE = /^(N|m|g|J|s|W|Pa|Hz|N·s|N·m|J·s|m\/s)$/;
const UP = { "-": "⁻", 0: "⁰", 1: "¹", 2: "²", 3: "³", 4: "⁴", 5: "⁵", 6: "⁶", 7: "⁷", 8: "⁸", 9: "⁹" };

function superscript(n) {
  return String(n).replace(/./g, (c) => UP[c]);
}

// The scale and unit in which a value of this size reads best: {scale, unit}; shown value = value / scale.
function prefixFor(size, unit) {
  if (!(size > 0) || !isFinite(size)) return { scale: 1, unit };
  if (!PREFIXABLE.test(unit)) {
    if (size >= 1e-3 && size < 1e5) return { scale: 1, unit };
    const power = 3 * Math.floor(Math.log10(size) / 3);
    return { scale: 10 ** power, unit: `×10${superscript(power)}${unit ? " " + unit : ""}` };
  }
  // Rounding noise must not push 999.9999999 into the lower prefix.
  for (const [scale, letter] of PREFIXES) {
    if (size >= scale * 0.9999999) return { scale, unit: letter + unit };
  }
  const power = 3 * Math.floor(Math.log10(size) / 3);
  return { scale: 10 ** power, unit: `×10${superscript(power)} ${unit}` };
}

function minus(text) {
  return text.replace("-", "−");
}

// About `digits` significant digits without a unit.
function digitsOf(value, digits) {
  if (!isFinite(value)) return "–";
  if (value === 0) return "0";
  const size = Math.abs(value);
  if (size >= 1e6 || size < 1e-3) {
    const [mantissa, power] = value.toExponential(digits - 1).split("e");
    return minus(`${Number(mantissa)}·10`) + superscript(Number(power));
  }
  return minus(String(Number(value.toPrecision(digits))));
}

// A value with its unit and the prefix that suits it, e.g. "1.24 kN".
function quantity(value, unit, digits = 4) {
  if (!isFinite(value)) return "–";
  if (unit === "1") return digitsOf(value, digits);
  const { scale, unit: shown } = prefixFor(Math.abs(value), unit);
  if (shown.startsWith("×10")) return `${digitsOf(value, digits)} ${unit}`.trim();
  return `${digitsOf(value / scale, digits)} ${shown}`.trim();
}

// A vector with one unit for its three numbers, and its length: "(0.1, 0, −3) m/s, 3.002 m/s".
function vectorText(vector, unit, length = true) {
  if (!vector.every(isFinite)) return "–";
  const size = norm(vector);
  const { scale, unit: shown } = prefixFor(size, unit);
  // As many places as the longest needs for four digits.
  const places = size > 0 ? Math.max(0, 3 - Math.floor(Math.log10(size / scale))) : 0;
  const numbers = vector.map((x) => minus(String(Number((x / scale).toFixed(places))).replace(/^-0$/, "0")));
  return `(${numbers.join(", ")}) ${shown}${length ? `, ${quantity(size, unit)}` : ""}`;
}

// A time with as many places as the frames need, so that digits do not dance while it plays.
function timeText(t, resolution) {
  const places = Math.min(6, Math.max(2, Math.ceil(-Math.log10(resolution || 0.01))));
  return minus(t.toFixed(places)) + " s";
}
