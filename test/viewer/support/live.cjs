// The page of `stickslip view` in a real browser, used as a person does. Called by test/viewer/live.sh.
const assert = require("assert");
const fs = require("fs");
const http = require("http");
const { launch, newPage, becomes, until, frames, shoot } = require("./chromium.cjs");
const { Tool, WAIT } = require("./view.cjs");

const folder = process.env.SS_FOLDER;
const near = (a, b, tol, text) => assert.ok(Math.abs(a - b) <= tol, `${text}: ${a} is not ${b}`);

async function open(browser, args, { width = 1366, height = 768, theme = "light" } = {}) {
  const tool = await Tool.start(args, folder);
  const page = await newPage(browser, width, height, (url) => url.startsWith(`http://${tool.host}/`) || url.startsWith("data:"));
  await page.goto(`${tool.address}&theme=${theme}`);
  await page.waitForSelector("footer .timebar");
  return { tool, page };
}

async function close({ tool, page }, name) {
  const complaints = page.complaints.slice();
  await page.close();
  assert.deepStrictEqual(complaints, [], name);
  assert.strictEqual(await tool.end(), 0, name);
}

const time = (page) => page.evaluate(() => window.stickslip.player.t);
const goesOn = async (page, by = 0.02) => {
  const t = await time(page);
  await until(page, (t1) => window.stickslip.player.t > t1, t + by);
};

// Nothing beside or outside of the window
async function testLayout(page, name) {
  const outside = await page.evaluate(() => {
    const w = document.documentElement.clientWidth;
    return document.documentElement.scrollWidth > w + 1 ? `${document.documentElement.scrollWidth} > ${w}` : "";
  });
  assert.strictEqual(outside, "", name);
}

async function testWoodpecker(browser) {
  const view = await open(browser, ["woodpecker", "--speed", "0.1"]), { page } = view;
  assert.strictEqual(new URL(page.url()).search, "", "the token does not stay in the address");
  await goesOn(page);
  await until(page, () => window.stickslip.run.events.n > 3);
  await testLayout(page, "woodpecker");
  await shoot(page, "live");
  await page.keyboard.press("2");
  await until(page, () => document.querySelectorAll(".uplot").length >= 2);
  await goesOn(page);
  await until(page, () => { const { t, window: [a, b] } = window.stickslip.player; return b === t && b > a; });  // it ends at the present
  await shoot(page, "live-plots");
  await page.keyboard.press("3");
  await goesOn(page);
  await shoot(page, "live-energy");
  await page.keyboard.press("4");
  await goesOn(page);
  await becomes(() => page.locator(".event-inner .event-row").count(), (n) => n > 3, "events come");
  await shoot(page, "live-events");
  await page.keyboard.press("5");
  await page.keyboard.press(" ");
  await until(page, () => {  // in words a time has 15 digits
    const { live, player } = window.stickslip;
    return !live.status.running && Math.abs(player.t - live.status.t) < 1e-9;
  });
  const stands = await time(page), seen = await page.evaluate(() => window.stickslip.run.rows);
  await page.evaluate(() => window.stickslip.live.ask({ do: "speed", speed: 0.1 }));  // what was on its way comes before the answer
  await frames(page);
  assert.strictEqual(await page.evaluate(() => window.stickslip.run.rows), seen, "no rows while it stands");
  near(await time(page), stands, 0, "it stands");
  await page.keyboard.press("p");
  await becomes(() => time(page), (t) => t < stands, "back to the event before");
  await page.keyboard.press("End");
  await page.keyboard.press("ArrowRight");
  await until(page, (n) => window.stickslip.run.rows === n + 1, seen);
  await becomes(() => time(page), (t) => Math.abs(t - stands - 1e-4) < 1e-9, `one step from ${stands}`);
  await page.keyboard.press("r");
  await until(page, () => window.stickslip.run.rows < 5 && window.stickslip.player.t === 0);
  await page.keyboard.press("?");
  await page.waitForSelector("dialog.help[open]");
  await page.keyboard.press("Escape");
  await close(view, "woodpecker");
}

// x'' = a: a slider changes the motion that is seen
async function testSlider(browser) {
  const view = await open(browser, ["model.yaml"]), { page } = view;
  // a value that is asked for takes effect some rows later
  const accelerates = (a) => until(page, (number) => {
    const wanted = number ?? Number(document.querySelector('.value[data-path="a"] input[type=text]').value);
    const { run } = window.stickslip, u = run.columns.find((c) => c.name === "u_x").values, n = run.rows, m = n - 12;
    return m >= 0 && Math.abs((u[n - 1] - u[m]) / (run.t[n - 1] - run.t[m]) - wanted) < 0.01;
  }, a);
  const taken = (a) => until(page, (wanted) => Number(window.stickslip.live.parameters.find((p) => p.path === "a").value) === wanted, a);
  await accelerates(2);
  const slider = page.locator('.value[data-path="a"] input[type=range]'), box = await slider.boundingBox();
  await page.mouse.move(box.x + box.width / 3, box.y + box.height / 2);
  await page.mouse.down();
  await page.mouse.move(box.x + box.width - 8, box.y + box.height / 2, { steps: 5 });
  await page.mouse.up();
  await until(page, () => Number(window.stickslip.live.parameters.find((p) => p.path === "a").value) > 5);
  const field = page.locator('.value[data-path="a"] input[type=text]');
  await accelerates(null);  // what the field says, and the slider said
  await field.fill("-1.5");
  await field.press("Enter");
  await taken(-1.5);
  await accelerates(-1.5);
  await page.locator('.value[data-path="a"] button').click();
  await taken(2);
  await accelerates(2);
  // any path
  await page.fill(".more input", "contacts.floor.eps_n");
  await page.press(".more input", "Enter");
  const added = page.locator('.value[data-path="contacts.floor.eps_n"] input[type=text]').last();
  await added.fill("0.8");
  await added.press("Enter");
  await until(page, () => window.stickslip.run.contacts[0].eps_n === 0.8);
  await added.fill("nonsense(");
  await added.press("Enter");
  await page.selectOption('[data-setting="integrator"]', "jean");
  await until(page, () => window.stickslip.live.settings.integrator === "jean");
  await goesOn(page);
  await page.fill('[data-setting="dt"]', "-1");
  await page.press('[data-setting="dt"]', "Enter");
  await page.waitForSelector(".notices li");
  assert.strictEqual(await page.inputValue('[data-setting="dt"]'), "0.001", "a bad step size is refused");
  await goesOn(page);
  await close(view, "slider");
}

async function testDrag(browser) {
  const view = await open(browser, ["model.yaml", "--set", "a=0"]), { page } = view;
  await goesOn(page);
  const at = await page.evaluate(() => {
    const s = window.stickslip.scene, c = s.canvas.getBoundingClientRect(), [x, y] = s.screen([0, 0.1]);
    return { x: c.x + x, y: c.y + y, scale: s.scale };
  });
  await page.mouse.move(at.x, at.y - 0.08 * at.scale);
  await page.mouse.down();
  await page.mouse.move(at.x + 0.6 * at.scale, at.y - 0.4 * at.scale, { steps: 4 });
  await until(page, () => { const v = window.stickslip.run.columns.find((c) => c.name === "x").values; return v[v.length - 1] > 0.4; });
  await shoot(page, "live-drag");
  await page.mouse.up();
  await until(page, () => window.stickslip.live.status.dragging === false);
  await until(page, () => { const v = window.stickslip.run.columns.find((c) => c.name === "energy.work_drive").values; return v[v.length - 1] > 0; });
  // beside a body the picture is moved
  const shift = () => page.evaluate(() => window.stickslip.scene.shift[0]);
  const before = await shift();
  await page.mouse.move(at.x - 1.5 * at.scale, at.y - 1.5 * at.scale);
  await page.mouse.down();
  await page.mouse.move(at.x - 1.5 * at.scale + 40, at.y - 1.5 * at.scale, { steps: 3 });
  await page.mouse.up();
  await becomes(shift, (now) => Math.abs(now - before - 40) <= 1, `the picture moves from ${before}`);
  await close(view, "drag");
}

async function testScene(browser) {
  const view = await open(browser, ["free.xml"]), { page } = view;
  await becomes(() => page.locator(".scene-note").textContent(), (text) => text === "", "the browser draws in space");
  await goesOn(page);
  const box = await page.locator("canvas.scene").boundingBox(), x = box.x + box.width / 2, y = box.y + box.height / 2;
  await page.mouse.move(x, y);
  await page.mouse.down();
  await page.mouse.move(x + 120, y - 40, { steps: 4 });
  await until(page, () => { const p = window.stickslip.run.space.poses[0]; return Math.hypot(...p.slice(0, 3).map((v) => v[v.length - 1])) > 0.01; });
  await page.mouse.up();
  await close(view, "scene");
  const billiards = await open(browser, ["billiards", "--speed", "0.1"]);
  await becomes(() => billiards.page.locator('.value[data-path="option.timestep"] label').textContent(), (text) => / s$/.test(text),
                "sliders have units");
  await until(billiards.page, () => window.stickslip.run.contacts.length >= 5);
  await until(billiards.page, () => window.stickslip.run.events.n > 3);
  await testLayout(billiards.page, "billiards");
  await shoot(billiards.page, "live-scene");
  const pixels = () => billiards.page.evaluate(() => document.querySelector("canvas.scene").toDataURL());
  const first = await pixels();
  await goesOn(billiards.page, 0.05);
  await becomes(pixels, (now) => now !== first, "the balls move");
  await close(billiards, "billiards");
}

// Bodies in the plane: what touches is listed first, drawn with its forces, and has a band for each pair
async function testBodies(browser) {
  const view = await open(browser, ["brush", "--speed", "0.01"]), { page } = view;
  await until(page, () => window.stickslip.player.t > 0.003 && window.stickslip.scene.largest > 0);
  await page.keyboard.press(" ");
  await until(page, () => !window.stickslip.live.status.running);
  await page.keyboard.press("p");  // an event: something is closed, or was
  const closed = () => page.evaluate(() => {
    const { run, player } = window.stickslip, { touch } = run, i = player.row, names = [];
    for (let k = i ? touch.end[i - 1] : 0; k < touch.end[i]; k++) if (touch.state[k]) names.push(run.contacts[touch.contact[k]].name);
    return names;
  });
  for (let i = 0; i < 20 && !(await closed()).length; i++) await page.keyboard.press("ArrowLeft");
  const names = await closed();
  assert.ok(names.length > 0, "something touches");
  await becomes(() => page.locator(".contacts tbody tr:not([hidden]) .name").allTextContents(), (shown) => names.every((n, k) => shown[k] === n),
                `first ${names}`);
  await close(view, "bodies");
}

async function testFiles(browser) {
  const view = await open(browser, ["model.yaml"]), { page } = view;
  await page.click(".record");
  await until(page, () => window.stickslip.live.status.rows > 20);
  await page.click(".record");
  await until(page, () => !window.stickslip.live.status.recording);
  await becomes(() => fs.existsSync(`${folder}/model-live.h5`), (there) => there, "the record");
  fs.unlinkSync(`${folder}/model-live.h5`);
  await page.click("text=save this contact problem");
  await page.waitForSelector(".notices li:has-text('Saved')");
  const saved = fs.readdirSync(folder).filter((f) => /^model-step-\d+\.json$/.test(f));
  assert.strictEqual(saved.length, 1);
  fs.unlinkSync(`${folder}/${saved[0]}`);
  await close(view, "files");
}

async function testDark(browser) {
  const view = await open(browser, ["stickslip-oscillator"], { theme: "dark" }), { page } = view;
  await goesOn(page, 0.5);
  await testLayout(page, "dark");
  await shoot(page, "live-dark");
  await close(view, "dark");
  const phone = await open(browser, ["ball"], { width: 390, height: 844 });
  await goesOn(phone.page);
  await testLayout(phone.page, "phone");
  await shoot(phone.page, "live-phone");
  await close(phone, "phone");
}

// The address opens one page; it can be loaded anew; a page from elsewhere gets nothing; the end of the tool is seen
async function testSecurity(browser) {
  const { tool, page } = await open(browser, ["ball"]);
  const context = await browser.newContext(), other = await context.newPage();
  other.setDefaultTimeout(WAIT);
  const again = await other.goto(tool.address);
  assert.strictEqual(again.status(), 403, "a second use of the address");
  await other.goto(`http://${tool.host}/`);
  await other.waitForSelector(".broken:has-text('opens this view, once')");
  const key = await page.evaluate(() => sessionStorage.getItem("stickslip-key"));
  const server = http.createServer((_, answer) => answer.end("<!doctype html><title>elsewhere</title>")).listen(0, "127.0.0.1");
  await new Promise((done) => server.once("listening", done));
  await other.goto(`http://127.0.0.1:${server.address().port}/`);
  const outcome = await other.evaluate(([host, k]) => new Promise((done) => {
    const s = new WebSocket(`ws://${host}/socket?key=${k}`);
    s.onopen = () => done("open");
    s.onerror = () => done("refused");
  }), [tool.host, key]);
  assert.strictEqual(outcome, "refused", "a page of another origin, even with the key");
  const read = await other.evaluate((host) => fetch(`http://${host}/`).then(() => "read", () => "refused"), tool.host);
  assert.strictEqual(read, "refused", "a page of another origin cannot read ours");
  server.close();
  await context.close();
  await goesOn(page);
  await page.reload();
  await page.waitForSelector("footer .timebar");
  await goesOn(page);
  // malformed messages from the page itself
  await page.evaluate(() => { for (const m of ["{", "[]", '{"do":"set","path":"../x","value":"1"}', new Uint8Array(9)]) window.stickslip.live.socket.send(m); });
  await page.waitForSelector(".notices li");
  await goesOn(page);
  await page.evaluate(() => window.stickslip.live.socket.send("x".repeat(100000)));
  await page.waitForSelector(".badge:has-text('has ended')");
  assert.ok(tool.alive);
  await page.reload();
  await page.waitForSelector("footer .timebar");
  await goesOn(page);
  assert.strictEqual(await tool.end(), 0);
  await page.waitForSelector(".badge:has-text('has ended')");
  await page.close();
}

(async () => {
  const browser = await launch();
  try {
    for (const test of [testWoodpecker, testSlider, testDrag, testScene, testBodies, testFiles, testDark, testSecurity]) {
      if (process.env.SS_ONLY && test.name !== process.env.SS_ONLY) continue;
      await test(browser);
      console.log(test.name, "ok");
    }
  } finally {
    await browser.close();
  }
  process.exit(0);
})().catch((error) => {
  console.error(error);
  process.exit(1);
});
