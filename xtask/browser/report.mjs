// The report of one run: time, picking, plots, the loss of a graphics context.

import { readFileSync } from "node:fs";
import path from "node:path";
import { WIDTHS, changes, comes, download, isReady, picture, scrub, settled } from "./harness.mjs";
import { checksInSight, labelsFree, layout, parameters } from "./layout.mjs";

const CANVAS = "#view-gl";

export async function report(tests, folder) {
  const file = path.join(folder, "report.html");
  for (const width of WIDTHS) {
    await tests.inBoth(file, { width, hash: "#t=0.34" }, async (page, check) => {
      check("it is read", await isReady(page));
      await layout(page, check);
      await parameters(page, check);
      await labelsFree(page, check);
      if (width < 500) await checksInSight(page, check);
      await axes(page, check);
      check("the 3-D picture shows something", (await picture(page, CANVAS)).colours > 20);
    });
  }
  const wide = { width: 1400, theme: "light" };
  await tests.open(file, { ...wide, hash: "#t=0.34" }, async (page, check) => {
    await isReady(page);
    await signal(page, check);
    await time(page, check);
    await bodies(page, check);
    await plots(page, check, folder);
  });
  await tests.open(file, wide, async (page, check) => {
    await isReady(page);
    await contextLoss(page, check, CANVAS);
  });
  await tests.open(file, { ...wide, before: loseWhileRead }, async (page, check) => {
    check("a context lost while the page is read comes back", await comes(page, () => window.restored === true));
    check("it is read", await isReady(page));
    check("all of the page is there", (await page.locator("figure.plot").count()) > 4 && (await page.locator("#tools button").count()) > 4);
    check("the picture is drawn", (await settled(page, CANVAS)).colours > 20);
  });
  await tests.open(file, { width: 390, theme: "dark", touch: true }, async (page, check) => {
    await isReady(page);
    await page.locator(CANVAS).scrollIntoViewIfNeeded();
    const { x, y } = await page.evaluate(middleOf, "dropped");
    await page.touchscreen.tap(x, y);
    check("a tap picks a body", await comes(page, () => !document.getElementById("body-card").hidden));
    await layout(page, check);
  });
}

// A report of a run with so many contacts that they would hide the bodies.
export async function crowd(tests, folder) {
  for (const width of WIDTHS) {
    await tests.open(path.join(folder, "report.html"), { width, theme: "light", hash: "#t=10" }, async (page, check) => {
      check("it is read", await isReady(page));
      await layout(page, check);
      await parameters(page, check);
      if (width !== 1400) return;
      const contacts = Number((await page.textContent("#view-readout")).match(/(\d+) contacts/)?.[1]);
      check("it has many contacts", contacts > 1000, contacts);
      const pressed = () => page.$eval("#tools button:nth-child(2)", (b) => [b.textContent, b.getAttribute("aria-pressed")].join());
      check("arrows are off", (await pressed()) === "Forces,false", await pressed());
      const before = await settled(page, CANVAS);
      await page.keyboard.press("a");
      check("they come when they are asked for", (await changes(page, CANVAS, before)) !== null && (await pressed()) === "Forces,true");
      const scale = await page.textContent("#view-scale");
      const drawn = Number(scale.match(/the (\d+) largest of \d+ forces/)?.[1]);
      check("only the largest are drawn, and said to be", drawn > 0 && drawn <= 150, scale);
    });
  }
}

// Runs before the page: takes the context away when the file is read to its end, before the page hears of that, and gives it back.
function loseWhileRead() {
  document.addEventListener("DOMContentLoaded", () => {
    const canvas = document.getElementById("view-gl");
    const extension = canvas.getContext("webgl2").getExtension("WEBGL_lose_context");
    canvas.addEventListener("webglcontextlost", () => setTimeout(() => extension.restoreContext(), 300));
    canvas.addEventListener("webglcontextrestored", () => (window.restored = true));
    extension.loseContext();
  });
}

// Where a label of a body stands, a little below it: within the body.
function middleOf(name) {
  const label = [...document.querySelectorAll(".labels span")].find((span) => span.textContent === name);
  const box = label.getBoundingClientRect();
  return { x: box.left + box.width / 2, y: box.bottom + 12 };
}

async function axes(page, check) {
  const { names, inside } = await page.$eval(".triad", (svg) => {
    const [a, b] = [svg, svg.closest(".view")].map((part) => part.getBoundingClientRect());
    return { names: [...svg.querySelectorAll("text")].map((t) => t.textContent).sort().join(""), inside: a.right <= b.right && a.bottom <= b.bottom };
  });
  check("the axes of the world are in the picture", names === "xyz" && inside, names);
}

// Marks of contacts have a colour that is far from that of every body.
async function signal(page, check) {
  const away = await page.evaluate(() => {
    const rgb = (text) => {
      const probe = document.body.appendChild(document.createElement("i"));
      probe.style.color = text;
      const numbers = getComputedStyle(probe).color.match(/[\d.]+/g).map(Number);
      probe.remove();
      return numbers;
    };
    const mark = rgb("var(--signal)");
    return Math.min(...[...document.querySelectorAll("#bodies .swatch")].map((swatch) => {
      const body = rgb(swatch.style.background);
      return Math.hypot(...body.map((c, k) => c - mark[k]));
    }));
  });
  check("marks of contacts have a colour that no body has", away > 80, away);
}

async function time(page, check) {
  const clock = () => page.textContent("#clock");
  const before = await settled(page, CANVAS);
  await scrub(page, 0.1);
  const early = await clock();
  check("the slider moves time and picture", /^0\.12/.test(early) && (await changes(page, CANVAS, before)) !== null, early);
  await page.click("#play");
  check("it plays", await comes(page, (was) => document.getElementById("clock").textContent !== was, early));
  await page.keyboard.press("Space");
  const stopped = await clock();
  await page.waitForTimeout(200);
  check("space stops it", (await clock()) === stopped, `${stopped}, ${await clock()}`);
  await page.keyboard.press("End");
  check("End goes to the last frame", /^1\.20/.test(await clock()), await clock());
}

async function bodies(page, check) {
  await scrub(page, 0.1);
  const plain = await settled(page, CANVAS);
  const { x, y } = await page.evaluate(middleOf, "dropped");
  await page.mouse.click(x, y);
  check("a click picks a body", await comes(page, () => /^dropped at/.test(document.getElementById("body-title").textContent)));
  check("it stands out", (await changes(page, CANVAS, plain)) !== null);
  const facts = async () => page.$$eval("#body-facts > div", (list) => Object.fromEntries(list.map((d) => [d.children[0].textContent, d.children[1].textContent])));
  const free = await facts();
  // In free fall from one metre: no contact yet, and g times the 0.117 s of the frame.
  check("its mass is told", /^9\.55\d* kg$/.test(free.Mass), free);
  check("its velocity is told", /−1\.1\d*\) m\/s/.test(free.Velocity), free);
  check("no force acts in free fall", /^\(0, 0, 0\) N/.test(free["Net contact force"]), free);
  await scrub(page, 0.34 / 1.2);
  const struck = await facts();
  check("its net force is told when it strikes", /\d N|\d kN/.test(struck["Net contact force"]) && struck["Net contact force"] !== free["Net contact force"] && /box/.test(struck.Contacts), struck);
  const before = await settled(page, CANVAS);
  await page.click("#body-hide");
  check("it is hidden", (await changes(page, CANVAS, before)) !== null && (await page.textContent("#body-hide")) === "Show");
  await page.click("#body-hide");
  await page.click("#body-alone");
  check("others are hidden", (await page.$$eval("#bodies .eye", (all) => all.map((e) => e.getAttribute("aria-pressed")).join())) === "false,false,true");
  await page.click("#body-alone");
  await page.keyboard.press("Escape");
  check("Esc closes the panel", await page.$eval("#body-card", (card) => card.hidden));
  await page.click("#bodies .name >> text=box");
  check("a name of the list picks", /^box at/.test(await page.textContent("#body-title")));
  await page.keyboard.press("n");
  check("N picks a contact", !(await page.$eval("#why", (panel) => panel.hidden)));
  await page.keyboard.press("Escape");
}

async function plots(page, check, folder) {
  const area = page.locator(".plot-area").first();
  await area.scrollIntoViewIfNeeded();
  const box = await area.boundingBox();
  await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
  check("a plot tells its values", /\d s\n.*normal/.test(await page.textContent(".plot-tip:not([hidden])")));
  await page.mouse.move(2, 2);
  const names = await page.$$eval("button.csv", (all) => all.map((b) => b.closest("figure").querySelector("h2").textContent));
  check("every plot has its numbers", names.length === (await page.locator("figure.plot").count()) && names.length > 4, names);
  const { name, text } = await download(page, "button.csv >> nth=0");
  const file = readFileSync(path.join(folder, "csv", name), "utf8");
  check("the file saved is that beside the page", sameTable(text, file), name);
  const [stages] = await Promise.all([page.waitForEvent("download"), page.click(".stages .csv")]);
  check("so is that of the stages", stages.suggestedFilename() === "stages.csv");
}

// Equal names, as many rows, and numbers that differ by no more than what a page may round: 1/50 000 of what a column spans.
export function sameTable(a, b) {
  const cells = (line) => [...line.matchAll(/("(?:[^"]|"")*"|[^,]*)(?:,|$)/g)].map((found) => found[1]);
  const [rows, others] = [a, b].map((text) => text.trim().split("\n").map(cells));
  if (rows.length !== others.length || rows.length < 3 || rows[0].join() !== others[0].join()) return false;
  const span = others[0].map((_, k) => {
    const numbers = others.slice(1).map((row) => Number(row[k])).filter(isFinite);
    return Math.max(...numbers) - Math.min(...numbers);
  });
  return rows.slice(1).every((row, r) => row.every((cell, k) =>
    cell === others[r + 1][k] || Math.abs(Number(cell) - Number(others[r + 1][k])) <= 2e-5 * span[k]));
}

// Loses the context of a picture that is being drawn and restores it. In a tab in the background no frame comes meanwhile, and what the
// page waited for before is of a context that is no more.
const loseAndRestore = (page, canvas, background) => page.$eval(canvas, async (element, hold) => {
  const extension = element.getContext("webgl2").getExtension("WEBGL_lose_context");
  const frame = window.requestAnimationFrame;
  const held = [];
  if (hold) window.requestAnimationFrame = (callback) => held.push(callback);
  const slider = document.getElementById("scrub");
  slider.value = 100;
  slider.dispatchEvent(new Event("input"));
  // The frame that begins to draw.
  held.splice(0).forEach((callback) => callback(performance.now()));
  const event = (name) => new Promise((done) => element.addEventListener(name, done, { once: true }));
  const [lost, back] = [event("webglcontextlost"), event("webglcontextrestored")];
  extension.loseContext();
  await lost;
  await new Promise((done) => setTimeout(done, 200));
  const message = element.parentElement.querySelector(".no-gl");
  const said = message.hidden ? "" : message.textContent;
  extension.restoreContext();
  await back;
  window.requestAnimationFrame = frame;
  held.forEach((callback) => frame(callback));
  return said;
}, background);

export async function contextLoss(page, check, canvas) {
  for (const background of [true, false]) {
    const said = await loseAndRestore(page, canvas, background);
    check("the page says that the context is lost", /graphics context/.test(said), said);
    const message = `${canvas} ~ .no-gl`;
    check("and no more when it is back", await page.$eval(message, (part) => part.hidden));
    const before = await settled(page, canvas);
    check("the picture is drawn again", before.colours > 20, before);
    await scrub(page, background ? 0.9 : 0.6);
    check("and follows the time again", (await changes(page, canvas, before)) !== null);
  }
}
