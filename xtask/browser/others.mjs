// The page of a comparison, and the gallery.

import { readFileSync } from "node:fs";
import path from "node:path";
import { WIDTHS, comes, download, isReady } from "./harness.mjs";
import { labelsFree, layout, parameters } from "./layout.mjs";
import { contextLoss, sameTable } from "./report.mjs";

export async function comparison(tests, folder) {
  const file = path.join(folder, "compare.html");
  for (const width of WIDTHS) {
    await tests.inBoth(file, { width }, async (page, check) => {
      check("it is read", await isReady(page));
      await layout(page, check);
      // On a phone the table of what differs scrolls.
      if (width > 500) await parameters(page, check);
      await labelsFree(page, check);
      const apart = await page.$$eval(".twin", (twins) => twins.every((twin) => {
        const [view, words] = [".view", ".readout"].map((part) => twin.querySelector(part).getBoundingClientRect());
        return words.top >= view.bottom - 1;
      }));
      check("words stand beside small pictures, not in them", apart);
    });
  }
  await tests.open(file, { width: 1400, theme: "light" }, async (page, check) => {
    await isReady(page);
    await page.click("#bodies .name >> nth=-1");
    const runs = await page.locator(".twin").count();
    check("a body is told of in every run", (await page.locator("#body-rows tr").count()) === runs, runs);
    const { name, text } = await download(page, "button.csv >> nth=0");
    const beside = readFileSync(path.join(folder, "csv", name), "utf8");
    check("the file saved is that beside the page", sameTable(text, beside), name);
    await contextLoss(page, check, "#view-gl-1");
  });
}

export async function gallery(tests, folder) {
  const colours = [];
  for (const width of WIDTHS) {
    await tests.inBoth(path.join(folder, "index.html"), { width }, async (page, check) => {
      await layout(page, check);
      check("pictures are there", await comes(page, () => document.images.length > 1 && [...document.images].every((img) => img.naturalWidth > 0)));
      if (width !== 1400) return;
      const colour = () => page.evaluate(() => getComputedStyle(document.documentElement).backgroundColor);
      const here = await colour();
      colours.push(here);
      await page.click("figure a >> nth=0");
      check("a picture opens its report", await isReady(page));
      check("the report has the gallery's colours", (await colour()) === here, here);
      check("its plots are whole in the page", (await page.locator("button.csv").count()) > 4 && (await page.locator("a.csv:text-is('all')").count()) === 0);
    });
  }
  tests.check("the gallery is light and dark", new Set(colours).size === 2, colours);
}
