// The numbers behind a plot as a CSV file, made of what the page holds: it works where the page is all there is.

// The fewest digits that read back to the same number of its array.
function csvNumber(value, single) {
  if (!isFinite(value)) return isNaN(value) ? "" : value > 0 ? "inf" : "-inf";
  for (let digits = 6; single && digits < 9; digits++) {
    const short = Number(value.toPrecision(digits));
    if (Math.fround(short) === value) return String(short);
  }
  return String(single ? Number(value.toPrecision(9)) : value);
}

function csvCell(text) {
  return /[",\n\r]/.test(text) ? `"${text.replace(/"/g, '""')}"` : text;
}

// A column for each curve where all have the same times, else a row for each sample; of a comparison with the run and the quantity.
function plotCsv(data) {
  const { curves } = data;
  const unit = data.unit ? ` [${data.unit}]` : "";
  const text = (list, i) => (i < list.length ? csvNumber(list[i], list instanceof Float32Array) : "");
  const lines = [];
  if (!data.groups && curves.every((curve) => curve.x === curves[0].x)) {
    lines.push(["time [s]", ...curves.map((curve) => csvCell(curve.name + unit))]);
    const times = curves.length ? curves[0].x : [];
    for (let i = 0; i < times.length; i++) lines.push([text(times, i), ...curves.map((curve) => text(curve.v, i))]);
  } else {
    lines.push([...(data.groups ? ["run", "quantity"] : ["curve"]), "time [s]", `value${unit}`]);
    for (const curve of curves) {
      const names = [curve.name, ...(data.groups ? [curve.group] : [])].map(csvCell);
      for (let i = 0; i < curve.count; i++) lines.push([...names, text(curve.x, i), text(curve.v, i)]);
    }
  }
  return lines.map((line) => line.join(",") + "\n").join("");
}

// How many samples of a plot the page holds; of curves that were thinned for drawing fewer than were taken.
function samplesHeld({ curves, groups }) {
  const counts = curves.map((curve) => curve.count);
  return groups ? counts.reduce((a, b) => a + b, 0) : Math.max(0, ...counts);
}

// A button that saves it, and where the page holds fewer samples a link to the file beside it that has all.
function csvLinks(data) {
  const name = data.csv.split("/").pop();
  const held = samplesHeld(data);
  const button = document.createElement("button");
  const whole = held >= data.samples;
  const count = (n) => n.toLocaleString("en");
  Object.assign(button, {
    type: "button", className: "csv", textContent: "CSV",
    title: whole ? `${name}: all ${count(held)} samples` : `${name}: ${count(held)} of ${count(data.samples)} samples, as drawn`,
  });
  button.addEventListener("click", () => {
    const link = document.createElement("a");
    link.href = URL.createObjectURL(new Blob([plotCsv(data)], { type: "text/csv" }));
    link.download = name;
    link.click();
    // The browser has taken it up when the click is done; some read it a moment later.
    setTimeout(() => URL.revokeObjectURL(link.href), 10000);
  });
  if (whole) return [button];
  const all = Object.assign(document.createElement("a"), {
    className: "csv", href: data.csv, textContent: "all", title: `${data.csv} beside this page: all ${count(data.samples)} samples`,
  });
  return [button, all];
}
