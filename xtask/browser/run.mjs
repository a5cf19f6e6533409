// Opens pages that are written already: node run.mjs --chromium PROGRAM --pages DIR [--screenshots DIR]. `cargo xtask browser` writes
// them and starts this.

import path from "node:path";
import { start } from "./harness.mjs";
import { comparison, gallery } from "./others.mjs";
import { crowd, report } from "./report.mjs";

const argument = (name) => {
  const at = process.argv.indexOf(`--${name}`);
  return at < 0 ? undefined : process.argv[at + 1];
};
const pages = argument("pages");
const tests = await start({ program: argument("chromium"), screenshots: argument("screenshots") });
await report(tests, path.join(pages, "drop"));
await crowd(tests, path.join(pages, "crowd"));
await comparison(tests, path.join(pages, "compare"));
await gallery(tests, path.join(pages, "gallery"));
await tests.stop();
console.log(`browser: ${tests.counts.passed} passed, ${tests.counts.failed} failed`);
process.exit(tests.counts.failed ? 1 : 0);
