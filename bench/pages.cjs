// pages.cjs PAGE.html...: how large report pages are, how long they take to open and what a step of the time bar costs, in
// headless Chromium. Times are of the processor, spent by the page's thread: other programs do not count, nor do the
// graphics, which are another process's (here in software, elsewhere a graphics card's).
//   NODE_PATH=build/release/viewer/node_modules [SS_FRAMES=60] node bench/pages.cjs page.html
const fs = require("fs");
const path = require("path");
const { launch } = require("../test/viewer/support/chromium.cjs");

const FRAMES = Number(process.env.SS_FRAMES ?? 60);

async function milliseconds(session) {
  const { metrics } = await session.send("Performance.getMetrics");
  return 1000 * metrics.find((m) => m.name === "TaskDuration").value;
}

// From the start to the end of the run, a picture for each step
const scrub = (page) => page.evaluate(async (n) => {
  const { player } = window.stickslip;
  for (let i = 0; i < n; i++) {
    player.seek(player.start + ((player.end - player.start) * i) / n);
    await new Promise((done) => requestAnimationFrame(done));
  }
}, FRAMES);

async function measure(browser, name) {
  const page = await browser.newPage({ viewport: { width: 1366, height: 768 } });
  const session = await page.context().newCDPSession(page);
  await session.send("Performance.enable", { timeDomain: "threadTicks" });
  const before = await milliseconds(session);
  await page.goto(`file://${path.resolve(name)}`);
  await page.waitForFunction(() => window.stickslip);
  await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
  const opened = await milliseconds(session);
  await scrub(page);
  const end = await milliseconds(session);
  const { rows, bodies } = await page.evaluate(() => {
    const { rows: n, space } = window.stickslip.run;
    return { rows: n, bodies: space?.bodies.length ?? 0 };
  });
  await page.close();
  return [path.basename(name, ".html"), (fs.statSync(name).size / 1e6).toFixed(2), rows, bodies, (opened - before).toFixed(0),
          ((end - opened) / FRAMES).toFixed(1)].join(",");
}

(async () => {
  const browser = await launch();
  console.log("page,MB,rows,bodies,open_ms,step_ms");
  for (const name of process.argv.slice(2)) console.log(await measure(browser, name));
  await browser.close();
})();
