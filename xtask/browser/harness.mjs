// Pages opened in Chromium, and what is counted of them.

import { mkdirSync } from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { chromium } from "playwright-core";

// Without a graphics card: ANGLE draws by SwiftShader. A container has no sandbox of Chromium's own.
const FLAGS = ["--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--no-sandbox"];
export const WIDTHS = [390, 1400, 1920];
const THEMES = ["light", "dark"];
const PATIENCE = 8000; // ms

export async function start({ program, screenshots }) {
  const browser = await chromium.launch({ executablePath: program, args: FLAGS });
  const counts = { passed: 0, failed: 0 };
  const check = (name, holds, detail = "") => {
    counts[holds ? "passed" : "failed"]++;
    if (!holds) console.log(`failed: ${name}${detail === "" ? "" : `: ${typeof detail === "string" ? detail : JSON.stringify(detail)}`}`);
    return holds;
  };

  // Opens a file at a width and in a theme, hands the page to `then`, and checks that nothing went wrong meanwhile.
  async function open(file, { width, theme, hash = "", touch = false, before = null }, then) {
    const name = `${path.basename(path.dirname(file))}/${path.basename(file)} at ${width} px, ${theme}`;
    const context = await browser.newContext({
      viewport: { width, height: width < 500 ? 844 : 950 }, colorScheme: theme, hasTouch: touch, offline: true, acceptDownloads: true,
    });
    const page = await context.newPage();
    page.setDefaultTimeout(PATIENCE);
    const wrong = [];
    page.on("console", (message) => message.type() === "error" && wrong.push(message.text()));
    page.on("pageerror", (error) => wrong.push(error.message));
    page.on("request", (request) => /^https?:/.test(request.url()) && wrong.push(`asks for ${request.url()}`));
    try {
      if (before) await page.addInitScript(before);
      await page.goto(pathToFileURL(file).href + hash);
      await then(page, (what, holds, detail) => check(`${name}: ${what}`, holds, detail));
      if (screenshots) {
        mkdirSync(screenshots, { recursive: true });
        const shot = `${path.basename(path.dirname(file))}-${width}-${theme}${touch ? "-touch" : ""}.png`;
        await page.screenshot({ path: path.join(screenshots, shot), fullPage: true });
      }
    } catch (error) {
      wrong.push(String(error.message).split("\n")[0]);
    }
    check(`${name}: no error`, wrong.length === 0, [...new Set(wrong)].slice(0, 5));
    await context.close();
  }

  // The same at a width in both themes, side by side.
  const inBoth = (file, options, then) => Promise.all(THEMES.map((theme) => open(file, { ...options, theme }, then)));

  return { open, inBoth, check, counts, stop: () => browser.close() };
}

// Waits until `holds` is true in the page; false when patience ends.
export async function comes(page, holds, argument) {
  try {
    await page.waitForFunction(holds, argument, { polling: 50 });
    return true;
  } catch {
    return false;
  }
}

// The rest of the file is read and the first picture is drawn.
export const isReady = (page) => comes(page, () => !/reading on/.test(document.querySelector(".readout")?.textContent ?? "reading on"));

// A number that differs where two pictures of a canvas do, and how many colours it has.
export async function picture(page, selector) {
  return page.evaluate(async (canvas) => {
    // What was asked for is drawn by the second frame from now.
    for (let k = 0; k < 3; k++) await new Promise((done) => requestAnimationFrame(done));
    const source = document.querySelector(canvas);
    const copy = Object.assign(document.createElement("canvas"), { width: source.width, height: source.height });
    const paper = copy.getContext("2d");
    paper.drawImage(source, 0, 0);
    const { data } = paper.getImageData(0, 0, copy.width, copy.height);
    let sum = 0;
    const colours = new Set();
    for (let k = 0; k < data.length; k += 4) {
      sum = (Math.imul(sum, 31) + data[k] + 7 * data[k + 1] + 13 * data[k + 2] + 17 * data[k + 3]) | 0;
      if (k % 64 === 0) colours.add((data[k] << 16) | (data[k + 1] << 8) | data[k + 2]);
    }
    return { sum, colours: colours.size };
  }, selector);
}

// Waits until a picture is another than before and no blank.
export async function changes(page, selector, before) {
  for (let k = 0; k < PATIENCE / 100; k++) {
    const now = await picture(page, selector);
    if (now.sum !== before.sum && now.colours > 20) return now;
    await page.waitForTimeout(100);
  }
  return null;
}

// Waits until a picture stays as it is.
export async function settled(page, selector) {
  let before = await picture(page, selector);
  for (let k = 0; k < 40; k++) {
    await page.waitForTimeout(150);
    const now = await picture(page, selector);
    if (now.sum === before.sum && now.colours > 20) return now;
    before = now;
  }
  return before;
}

// Moves the slider of time to a part of the whole.
export const scrub = (page, part) =>
  page.$eval("#scrub", (slider, to) => {
    slider.value = 1000 * to;
    slider.dispatchEvent(new Event("input", { bubbles: true }));
  }, part);

// Text of a file that a press on `selector` saves.
export async function download(page, selector) {
  const [file] = await Promise.all([page.waitForEvent("download"), page.click(selector)]);
  const stream = await file.createReadStream();
  const parts = [];
  for await (const part of stream) parts.push(part);
  return { name: file.suggestedFilename(), text: Buffer.concat(parts).toString("utf8") };
}
