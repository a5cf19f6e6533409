// What must hold of every page at every width: nothing is wider than the page, no value of a table is cut.

export async function layout(page, check) {
  const { wide, view } = await page.evaluate(() => ({ wide: document.documentElement.scrollWidth, view: innerWidth }));
  check("the page is no wider than the screen", wide <= view, `${wide} px`);
}

// Every cell of the Parameters card is in sight, with all of its text.
export async function parameters(page, check) {
  const { rows, cut, text } = await page.evaluate(() => {
    const card = document.querySelector(".parameters");
    card.querySelectorAll("details").forEach((details) => (details.open = true));
    const frame = card.getBoundingClientRect();
    const cut = [];
    for (const cell of card.querySelectorAll("th, td")) {
      const range = document.createRange();
      range.selectNodeContents(cell);
      const outside = [...range.getClientRects()].some((r) => r.right > Math.min(frame.right, innerWidth) + 0.5 || r.left < frame.left - 0.5);
      if (outside || cell.scrollWidth > cell.clientWidth + 1) cut.push(cell.textContent);
    }
    const rows = [...card.querySelectorAll("tbody tr")];
    const hidden = rows.filter((row) => row.cells[1].textContent.trim() === "" || row.cells[1].getBoundingClientRect().width < 20);
    return { rows: rows.length, cut: [...cut, ...hidden.map((row) => row.textContent)].slice(0, 5), text: card.textContent };
  });
  check("parameters are there", rows > 10, rows);
  check("no value of a parameter is cut", cut.length === 0, cut);
  const debug = text.match(/\w+ \{ \w+: |Some\(|PerArea/);
  check("parameters are in the words of the scene", !debug && text.includes("pair.0."), debug && debug[0]);
}

// On a phone every check shows what was measured and its verdict.
export async function checksInSight(page, check) {
  const hidden = await page.$$eval(".checks tbody tr", (rows) =>
    rows.flatMap((row) => [...row.querySelectorAll("[data-name=measured], .verdict")])
      .filter((cell) => cell.getBoundingClientRect().right > innerWidth || cell.getBoundingClientRect().width < 5)
      .map((cell) => cell.textContent));
  check("measured value and verdict are in sight", hidden.length === 0, hidden);
}

// No name of a body is covered by the words beside a picture.
export async function labelsFree(page, check) {
  const covered = await page.evaluate(() => {
    const meet = (a, b) => a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;
    const words = [...document.querySelectorAll(".readout, .scale")].map((part) => part.getBoundingClientRect()).filter((r) => r.width > 0);
    // A name may lie over the words, not under them.
    const over = (label) => Number(getComputedStyle(label.parentElement).zIndex) > 0;
    return [...document.querySelectorAll(".labels span:not([hidden]):not(.ring)")]
      .filter((label) => !over(label) && words.some((word) => meet(word, label.getBoundingClientRect())))
      .map((label) => label.textContent);
  });
  check("no name is covered", covered.length === 0, covered);
}
