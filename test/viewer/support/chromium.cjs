// Headless Chromium for tests and benchmarks, and waiting for what a page comes to show.
const assert = require("assert");
const fs = require("fs");
const { chromium } = require("playwright-core");
const { WAIT } = require("./view.cjs");

// WebGL in software; the page itself is painted without it, which is several times faster
const ARGS = ["--no-sandbox", "--disable-dev-shm-usage", "--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader",
              "--ignore-gpu-blocklist", "--disable-gpu-compositing", "--disable-gpu-rasterization"];

const launch = () => chromium.launch({ executablePath: process.env.SS_BROWSER ?? "/usr/bin/chromium", args: ARGS });

/** A page that collects what it should not do: errors, and requests to others than those that are allowed. */
async function newPage(browser, width, height, allowed) {
  const page = await browser.newPage({ viewport: { width, height } });
  page.setDefaultTimeout(WAIT);
  page.complaints = [];
  page.on("console", (m) => {
    const driver = /GL Driver Message .*Performance/.test(m.text());  // pictures are read back
    if (["error", "warning"].includes(m.type()) && !driver) page.complaints.push(m.text());
  });
  page.on("pageerror", (e) => page.complaints.push(e.message));
  page.on("request", (r) => { if (!allowed(r.url())) page.complaints.push("asked for " + r.url()); });
  return page;
}

/** Asks until the answer is good, and returns it. Machines may be slow: nothing is looked at only once. */
async function becomes(ask, good, text) {
  let value;
  for (const end = Date.now() + WAIT; Date.now() < end; await new Promise((done) => setTimeout(done, 20))) {
    value = await ask();
    if (good(value)) return value;
  }
  return assert.fail(`${text}: waited in vain, it is ${JSON.stringify(value)?.slice(0, 300)}`);
}

/** page.waitForFunction() would need eval, which the policy of a live page forbids. */
const until = (page, f, arg) => becomes(() => page.evaluate(f, arg), (v) => v, `${f}`);

/** Two frames: everything that was asked for is drawn. */
const frames = (page) => page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));

async function shoot(page, name) {
  if (!process.env.SS_SHOTS) return;
  fs.mkdirSync(process.env.SS_SHOTS, { recursive: true });
  await page.screenshot({ path: `${process.env.SS_SHOTS}/${name}.png` });
}

module.exports = { launch, newPage, becomes, until, frames, shoot };
