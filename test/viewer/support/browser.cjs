// Opens the pages and uses them as a person does. Called by test/viewer/browser.sh.
const assert = require("assert");
const fs = require("fs");
const { chromium } = require("playwright-core");

const folder = process.env.SS_PAGES, shots = process.env.SS_SHOTS;

async function open(browser, name, { width = 1366, height = 768, query = "theme=light" } = {}) {
  const page = await browser.newPage({ viewport: { width, height } });
  page.complaints = [];
  page.on("console", (m) => { if (["error", "warning"].includes(m.type())) page.complaints.push(m.text()); });
  page.on("pageerror", (e) => page.complaints.push(e.message));
  page.on("request", (r) => { if (!/^(file|data|blob):/.test(r.url())) page.complaints.push("asked for " + r.url()); });
  await page.goto(`file://${folder}/${name}.html?${query}`);
  await page.waitForSelector("footer .timebar", { state: "attached" });
  await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
  return page;
}

async function close(page, name) {
  assert.deepStrictEqual(page.complaints, [], name);
  await page.close();
}

async function shoot(page, name) {
  if (!shots) return;
  fs.mkdirSync(shots, { recursive: true });
  await page.screenshot({ path: `${shots}/${name}.png` });
}

const time = (page) => page.evaluate(() => window.stickslip.player.t);
const near = (a, b, tol, text) => assert.ok(Math.abs(a - b) <= tol, `${text}: ${a} is not ${b}`);

// Pixels of a canvas that differ from its corner
const painted = async (page, selector) => (await page.waitForSelector(selector)) && page.evaluate((s) => {
  const canvas = document.querySelector(s), c = canvas.getContext("2d");
  const d = c.getImageData(0, 0, canvas.width, canvas.height).data;
  let n = 0;
  for (let i = 4; i < d.length; i += 4) if (d[i] !== d[0] || d[i + 1] !== d[1] || d[i + 3] !== d[3]) n++;
  return n;
}, selector);

async function testScrubbing(page) {
  const box = await page.locator(".timebar").boundingBox();
  const [a, b] = await page.evaluate(() => window.stickslip.player.window);
  await page.mouse.move(box.x + 100, box.y + 30);
  await page.mouse.down();
  await page.mouse.move(box.x + box.width / 2, box.y + 30, { steps: 4 });
  near(await time(page), (a + b) / 2, (b - a) * 0.01, "the middle of the time bar");
  await page.mouse.up();
}

async function testEvents(page) {
  const all = await page.evaluate(() => [...new Set(window.stickslip.run.events.t)]);
  await page.keyboard.press("Home");
  for (let i = 0; i < 5; i++) {
    await page.keyboard.press("n");
    near(await time(page), all[i], 1e-9, `event ${i}`);
  }
  await page.keyboard.press("Shift+ArrowLeft");
  near(await time(page), all[3], 1e-9, "the event before");
  await page.click(".tabs button:nth-child(3)");
  const rows = page.locator(".event-inner .event-row");
  assert.ok(await rows.count() > 5, "the table of events has rows");
  const i = Number(await rows.nth(7).getAttribute("data-event"));
  await rows.nth(7).click();
  near(await time(page), await page.evaluate((k) => window.stickslip.run.events.t[k], i), 1e-9, "the event clicked");
  await shoot(page, "events");
  const before = await rows.count();
  await page.locator(".filters input").first().uncheck();
  assert.ok(await page.locator(".event-inner .kind-0").count() === 0, "impacts are hidden");
  await page.locator(".filters input").first().check();
  assert.strictEqual(await rows.count(), before);
}

async function testPlots(page) {
  await page.click(".tabs button:nth-child(1)");
  assert.ok(await page.locator(".uplot").count() >= 2, "there are plots");
  assert.ok(await painted(page, ".uplot canvas") > 2000, "the first plot has curves");
  assert.ok(await painted(page, "canvas.phase") > 2000, "the phase portrait has a curve");
  const over = await page.locator(".uplot .u-over").first().boundingBox();
  const [a, b] = await page.evaluate(() => window.stickslip.player.window);
  await page.mouse.click(over.x + over.width * 0.25, over.y + over.height / 2);
  near(await time(page), a + (b - a) * 0.25, (b - a) * 0.01, "a click in a plot");
  const head = await page.locator(".uplot .playhead").first().boundingBox();
  near(head.x, over.x + over.width * 0.25, 3, "the line of the present in the plot");
  await page.mouse.move(over.x + over.width * 0.5, over.y + 40);
  await page.mouse.down();
  await page.mouse.move(over.x + over.width * 0.75, over.y + 40, { steps: 5 });
  await page.mouse.up();
  const zoomed = await page.evaluate(() => window.stickslip.player.window);
  near(zoomed[1] - zoomed[0], (b - a) * 0.25, (b - a) * 0.02, "a drag in a plot zooms");
  await page.keyboard.press("0");
  await page.waitForTimeout(50);
  const [c, d] = await page.evaluate(() => window.stickslip.player.whole), t = await time(page);
  const line = await page.locator(".uplot .playhead").first().boundingBox();
  near(line.x, over.x + over.width * (t - c) / (d - c), 3, "the line of the present after zooming out");
  const names = await page.evaluate(() => window.stickslip.run.columns.map((c) => c.name));
  await page.locator(".menu summary").first().click();
  await page.locator(".menu input").first().waitFor();
  assert.strictEqual(await page.locator(".menu").first().locator("input").count(), names.length - 1, "all but t can be chosen");
  await page.locator('.menu input[data-name="gap.beak"]').first().check();
  assert.ok((await page.locator(".legend").first().textContent()).includes("gap"), "what is chosen is shown");
  await page.keyboard.press("Escape");
  await page.mouse.click(5, 400);
}

async function testMotion(page) {
  const at = () => page.locator(".phase-point").boundingBox();
  await page.keyboard.press("Home");
  const first = await at();
  await page.keyboard.press(" ");
  await page.waitForFunction(() => window.stickslip.player.t > 0.02);
  const t = await time(page), then = await at();
  assert.ok(first.x !== then.x || first.y !== then.y, "the point of the phase portrait moves");
  await page.keyboard.press("r");
  await page.waitForFunction((t1) => window.stickslip.player.t < t1, t);
  await page.keyboard.press(" ");
  await page.keyboard.press("r");
  const stopped = await time(page);
  await page.waitForTimeout(100);
  assert.strictEqual(await time(page), stopped, "paused is paused");
  await page.keyboard.press("ArrowRight");
  assert.ok(await time(page) > stopped, "a step goes on");
  assert.ok(await painted(page, "canvas.scene") > 5000, "the scene is drawn");
}

// States of the panel are those of the row
async function testContacts(page) {
  await page.keyboard.press("Home");
  for (let i = 0; i < 4; i++) await page.keyboard.press("n");
  const shown = await page.locator(".contacts .state").allTextContents();
  const wanted = await page.evaluate(() => {
    const { run, player } = window.stickslip, names = ["open", "stick", "slip+", "slip−", "closed", "slip"];
    return run.contacts.map((c) => names[run.columns.find((k) => k.name === `state.${c.name}`).values[player.row]]);
  });
  assert.deepStrictEqual(shown, wanted);
}

// Nothing sticks out of the page, and no two buttons lie on each other
async function testLayout(page, name) {
  const wide = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
  assert.ok(wide <= 0, `${name}: the page is ${wide} pixels too wide`);
  const overlaps = await page.evaluate(() => {
    const boxes = [...document.querySelectorAll("header > *, .transport > *, .timebar")].map((e) => [e, e.getBoundingClientRect()]);
    const found = [];
    for (const [a, r] of boxes) for (const [b, s] of boxes) {
      if (a === b || !r.width || !s.width) continue;
      if (r.left < s.right - 1 && s.left < r.right - 1 && r.top < s.bottom - 1 && s.top < r.bottom - 1) found.push(a.className);
    }
    return found;
  });
  assert.deepStrictEqual(overlaps, [], `${name}: these overlap`);
}

async function testWoodpecker(browser) {
  const page = await open(browser, "woodpecker");
  await testScrubbing(page);
  await testEvents(page);
  await testPlots(page);
  await testMotion(page);
  await testContacts(page);
  await testLayout(page, "laptop");
  await shoot(page, "plots");
  await page.keyboard.press("2");
  assert.ok(await painted(page, ".tab-body > :nth-child(2) .uplot canvas") > 5000, "the energy ledger is drawn");
  await shoot(page, "energy");
  await page.keyboard.press("4");
  assert.ok((await page.locator("pre").textContent()).includes("Glocker & Studer 2005"), "the model's text is there");
  await page.keyboard.press("?");
  assert.ok(await page.locator("dialog.help").isVisible(), "the sheet of keys");
  await page.keyboard.press("Escape");
  await page.keyboard.press("d");
  assert.strictEqual(await page.evaluate(() => document.documentElement.dataset.theme), "dark");
  await shoot(page, "model-dark");
  await close(page, "woodpecker");
}

async function testSmall(browser) {
  const page = await open(browser, "woodpecker", { width: 390, height: 844, query: "theme=dark&t=0.5" });
  await testLayout(page, "phone");
  await shoot(page, "phone");
  for (const key of ["2", "3", "4"]) {
    await page.keyboard.press(key);
    await testLayout(page, `phone, tab ${key}`);
  }
  await close(page, "phone");
}

async function testOdd(browser) {
  for (const name of ["ball", "falling", "two", "single"]) {
    const page = await open(browser, name);
    for (const key of ["2", "3", "4", "1", "n", "p", "ArrowRight", "End", " ", " ", "+", "-", "0"]) await page.keyboard.press(key);
    await testLayout(page, name);
    await close(page, name);
  }
}

// A scene in space: what is drawn changes as time goes on
async function testScene(browser) {
  const page = await open(browser, "scene");
  const picture = async (t) => {
    await page.evaluate((at) => window.stickslip.player.seek(at), t);
    await page.waitForTimeout(300);
    return page.evaluate(() => document.querySelector("canvas.scene").toDataURL());
  };
  assert.strictEqual(await page.locator(".scene-note").textContent(), "squares of 0.05 m", "the browser draws in space");
  const first = await picture(0), later = await picture(0.25);
  assert.notStrictEqual(first, later, "the balls move");
  const box = await page.locator("canvas.scene").boundingBox();
  await page.mouse.move(box.x + 200, box.y + 150);
  await page.mouse.down();
  await page.mouse.move(box.x + 300, box.y + 170, { steps: 3 });
  await page.mouse.up();
  assert.notStrictEqual(await picture(0.25), later, "it can be turned");
  await testLayout(page, "scene");
  await shoot(page, "scene");
  await close(page, "scene");
}

// The pixels of the scene, drawn anew
const drawn = (page) => page.evaluate(() => {
  window.stickslip.scene.draw();
  return document.querySelector("canvas.scene").toDataURL();
});

// Forces, cones and trails go and come back, by key and by button, in the plane and in space
async function testParts(browser) {
  for (const [name, t] of [["woodpecker", 0.3], ["stack", 0.05]]) {
    const page = await open(browser, name);
    await page.evaluate((at) => window.stickslip.show(at), t);
    for (const [key, part] of [["f", "forces"], ["c", "cones"], ["t", "trails"]]) {
      if (name === "stack" && part === "trails") continue;  // nothing moves
      const before = await drawn(page);
      await page.keyboard.press(key);
      assert.notStrictEqual(await drawn(page), before, `${name}: without ${part}`);
      await page.click(`.scene-tools button:text-is("${part}")`);
      assert.strictEqual(await drawn(page), before, `${name}: ${part} again`);
    }
    if (name === "stack") {
      const before = await drawn(page);
      await page.keyboard.press("v");
      assert.notStrictEqual(await drawn(page), before, "from another corner");
    }
    await close(page, name);
  }
}

// The table of contacts of a scene is that of the row: all components, and each point once
async function testSceneContacts(browser) {
  const page = await open(browser, "stack");
  await page.evaluate(() => window.stickslip.show(0.05));
  await page.waitForTimeout(300);  // lines out of sight are filled when the time bar rests
  const shown = await page.locator(".contacts tbody tr:not([hidden])").evaluateAll((rows) => rows.map((r) =>
    [...r.querySelectorAll("td")].map((c) => c.textContent)));
  assert.strictEqual(shown.length, 40, "four points under each of ten cubes");
  assert.strictEqual(new Set(shown.map((r) => r[0])).size, 40);
  for (const r of shown) {
    assert.strictEqual(r[1], "stick");
    assert.strictEqual(r.slice(2, 9).filter((x) => x !== "").length, 7, "gap, three velocities, three impulses");
  }
  const lowest = await page.evaluate(() => {
    const { run, player } = window.stickslip, t = run.space.touch, i = player.row;
    let sum = 0;
    for (let k = t.end[i - 1]; k < t.end[i]; k++) if (run.contacts[t.contact[k]].name.includes("floor")) sum += t.fz[k];
    return sum / (run.t[i] - run.t[i - 1]);
  });
  near(lowest, 1e4 * 9.81, 1e-3 * 9.81e4, "the floor carries ten cubes of 1000 kg");
  const cut = await page.evaluate(() => [...document.querySelectorAll(".contacts :is(.scroll, th, td)")]
    .filter((e) => e.scrollWidth > e.clientWidth).map((e) => `${e.className} ${e.textContent.slice(0, 30)}`));
  assert.deepStrictEqual(cut, [], "all columns are seen without scrolling");
  await testLayout(page, "stack");
  await shoot(page, "stack");
  await close(page, "stack");
}

// For pictures: the motion alone, as large as the window, at the instant that is asked for
async function testPlain(browser) {
  const page = await open(browser, "woodpecker", { width: 640, height: 480, query: "theme=dark#plain=1&hide=legend" });
  assert.strictEqual(await page.evaluate(() => window.stickslip.show(0.112)), true);
  assert.strictEqual(await page.locator(".scene-clock").textContent(), "t = 0.112 s");
  for (const part of ["header", "footer", ".side", ".contacts", ".state-legend", ".scene-tools"]) {
    assert.ok(!(await page.locator(part).isVisible()), `${part} is not there`);
  }
  const box = await page.locator("canvas.scene").boundingBox();
  assert.deepStrictEqual([box.x, box.y, box.width, box.height], [0, 0, 640, 480]);
  await close(page, "plain");
}

async function testHostile(browser) {
  const page = await open(browser, "hostile");
  for (const key of ["2", "3", "4", "1", "n"]) await page.keyboard.press(key);
  assert.strictEqual(await page.evaluate(() => window.harmed), undefined, "text of the model was run");
  assert.strictEqual(await page.locator("h1").textContent(), "</script><script>window.harmed = 1</script><!--");
  assert.strictEqual(await page.locator("img, h1 b").count(), 0);
  await close(page, "hostile");
}

(async () => {
  const args = ["--no-sandbox", "--disable-dev-shm-usage", "--use-gl=angle", "--use-angle=swiftshader",
                "--enable-unsafe-swiftshader", "--ignore-gpu-blocklist"];
  const browser = await chromium.launch({ executablePath: process.env.SS_BROWSER, args });
  try {
    for (const test of [testWoodpecker, testSmall, testOdd, testScene, testParts, testSceneContacts, testPlain, testHostile]) {
      await test(browser);
      console.log(test.name, "ok");
    }
  } finally {
    await browser.close();
  }
})().catch((error) => {
  console.error(error);
  process.exit(1);
});
