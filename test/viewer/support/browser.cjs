// Opens the pages and uses them as a person does. Called by test/viewer/browser.sh.
const assert = require("assert");
const fs = require("fs");
const { launch, newPage, becomes, until, frames, shoot } = require("./chromium.cjs");

const folder = process.env.SS_PAGES;
const SMALL = { width: 900, height: 560 };  // where the size does not matter: graphics in software take time for each pixel

async function open(browser, name, { width = 1366, height = 768, query = "theme=light" } = {}) {
  const page = await newPage(browser, width, height, (url) => /^(file|data|blob):/.test(url));
  await page.goto(`file://${folder}/${name}.html?${query}`);
  await page.waitForSelector("footer .timebar", { state: "attached" });
  await frames(page);
  return page;
}

async function close(page, name) {
  assert.deepStrictEqual(page.complaints, [], name);
  await page.close();
}

const time = (page) => page.evaluate(() => window.stickslip.player.t);
const goesTo = (page, t, tol, text) => becomes(() => time(page), (v) => Math.abs(v - t) <= tol, `${text}, ${t}`);
const windowOf = (page) => page.evaluate(() => window.stickslip.player.window);
const near = (a, b, tol, text) => assert.ok(Math.abs(a - b) <= tol, `${text}: ${a} is not ${b}`);
const count = (page, selector, good, text) => becomes(() => page.locator(selector).count(), good, text);

// Pixels of a canvas that differ from its corner
const painted = (page, selector, least, text) => becomes(() => page.evaluate((s) => {
  const canvas = document.querySelector(s), c = canvas?.getContext("2d");
  if (!canvas?.width) return 0;
  const d = c.getImageData(0, 0, canvas.width, canvas.height).data;
  let n = 0;
  for (let i = 4; i < d.length; i += 4) if (d[i] !== d[0] || d[i + 1] !== d[1] || d[i + 3] !== d[3]) n++;
  return n;
}, selector), (n) => n > least, text);

async function testScrubbing(page) {
  const box = await page.locator(".timebar").boundingBox();
  const [a, b] = await windowOf(page);
  await page.mouse.move(box.x + 100, box.y + 30);
  await page.mouse.down();
  await page.mouse.move(box.x + box.width / 2, box.y + 30, { steps: 4 });
  await goesTo(page, (a + b) / 2, (b - a) * 0.01, "the middle of the time bar");
  await page.mouse.up();
}

async function testEvents(page) {
  const all = await page.evaluate(() => [...new Set(window.stickslip.run.events.t)]);
  await page.keyboard.press("Home");
  for (let i = 0; i < 5; i++) {
    await page.keyboard.press("n");
    await goesTo(page, all[i], 1e-9, `event ${i}`);
  }
  await page.keyboard.press("Shift+ArrowLeft");
  await goesTo(page, all[3], 1e-9, "the event before");
  await page.click(".tabs button:nth-child(3)");
  const rows = page.locator(".event-inner .event-row");
  const before = await count(page, ".event-inner .event-row", (n) => n > 8, "the table of events has rows");
  const i = Number(await rows.nth(7).getAttribute("data-event"));
  await rows.nth(7).click();
  await goesTo(page, await page.evaluate((k) => window.stickslip.run.events.t[k], i), 1e-9, "the event clicked");
  await page.waitForSelector(`.event-row.is-current[data-event="${i}"]`);
  await shoot(page, "events");
  await page.locator(".filters input").first().uncheck();
  await count(page, ".event-inner .kind-0", (n) => n === 0, "impacts are hidden");
  await page.locator(".filters input").first().check();
  await count(page, ".event-inner .event-row", (n) => n >= before, "impacts are there again");
}

// The line of the present, in the first plot
const playhead = (page) => page.locator(".uplot .playhead").first().boundingBox();

async function testPlots(page) {
  await page.click(".tabs button:nth-child(1)");
  await count(page, ".uplot", (n) => n >= 2, "there are plots");
  await painted(page, ".uplot canvas", 2000, "the first plot has curves");
  await painted(page, "canvas.phase", 2000, "the phase portrait has a curve");
  const over = await page.locator(".uplot .u-over").first().boundingBox();
  const [a, b] = await windowOf(page);
  await page.mouse.click(over.x + over.width * 0.25, over.y + over.height / 2);
  await goesTo(page, a + (b - a) * 0.25, (b - a) * 0.01, "a click in a plot");
  await becomes(() => playhead(page), (h) => h && Math.abs(h.x - over.x - over.width * 0.25) <= 3, "the line of the present in the plot");
  await page.mouse.move(over.x + over.width * 0.5, over.y + 40);
  await page.mouse.down();
  await page.mouse.move(over.x + over.width * 0.75, over.y + 40, { steps: 5 });
  await page.mouse.up();
  await becomes(() => windowOf(page), ([c, d]) => Math.abs(d - c - (b - a) * 0.25) <= (b - a) * 0.02, "a drag in a plot zooms");
  await page.keyboard.press("0");
  const [c, d] = await page.evaluate(() => window.stickslip.player.whole), t = await time(page);
  await becomes(() => playhead(page), (h) => h && Math.abs(h.x - over.x - over.width * (t - c) / (d - c)) <= 3,
                "the line of the present after zooming out");
  const names = await page.evaluate(() => window.stickslip.run.columns.map((k) => k.name));
  await page.locator(".menu summary").first().click();
  await becomes(() => page.locator(".menu").first().locator("input").count(), (n) => n === names.length - 1, "all but t can be chosen");
  await page.locator('.menu input[data-name="gap.beak"]').first().check();
  await becomes(() => page.locator(".legend").first().textContent(), (text) => text.includes("gap"), "what is chosen is shown");
  await page.keyboard.press("Escape");
  await page.mouse.click(5, 400);
}

// A click in the phase portrait goes to a state that is near
async function testPhase(page) {
  await page.keyboard.press("Home");
  const goal = await page.evaluate(() => {
    const { run } = window.stickslip, picks = [...document.querySelectorAll(".picks select")].map((s) => s.value);
    const [y, x] = picks.map((name) => run.columns.find((c) => c.name === name).values), i = run.rows >> 1;
    return { x: x[i], y: y[i], names: picks };
  });
  const at = await becomes(() => page.evaluate(({ x, y, names }) => {  // where it is drawn, from two states that are seen
    const { run, player } = window.stickslip, point = document.querySelector(".phase-point");
    const [cy, cx] = names.map((name) => run.columns.find((c) => c.name === name).values);
    const places = [Math.floor(run.rows / 3), Math.floor(run.rows / 5)].map((i) => {
      player.seek(run.t[i]);
      const m = new DOMMatrix(getComputedStyle(point).transform);
      return [cx[player.row], cy[player.row], m.e, m.f];
    });
    const [p, q] = places, kx = (q[2] - p[2]) / (q[0] - p[0]), ky = (q[3] - p[3]) / (q[1] - p[1]);
    return [p[2] + kx * (x - p[0]), p[3] + ky * (y - p[1])];
  }, goal), ([x, y]) => Number.isFinite(x) && Number.isFinite(y), "the phase portrait");
  await page.locator("canvas.phase").click({ position: { x: at[0], y: at[1] } });
  await becomes(() => page.evaluate((names) => {
    const { run, player } = window.stickslip;
    return names.map((name) => run.columns.find((c) => c.name === name).values[player.row]);
  }, goal.names), ([y, x]) => Math.abs(x - goal.x) < 0.02 && Math.abs(y - goal.y) < 1.5, `a click in the phase portrait, ${goal.x} ${goal.y}`);
}

async function testMotion(page) {
  const at = () => page.locator(".phase-point").boundingBox();
  await page.keyboard.press("Home");
  const first = await at(), speed = () => page.evaluate(() => window.stickslip.player.speed);
  await page.keyboard.press(" ");
  await until(page, () => window.stickslip.player.t > 0.02);
  const t = await time(page);
  await becomes(at, (then) => first.x !== then.x || first.y !== then.y, "the point of the phase portrait moves");
  await page.keyboard.press("r");
  await until(page, (t1) => window.stickslip.player.t < t1, t);
  await page.keyboard.press(" ");
  await page.keyboard.press("r");
  const stopped = await time(page);
  await frames(page);
  assert.strictEqual(await time(page), stopped, "paused is paused");
  await page.keyboard.press("ArrowRight");
  await becomes(() => time(page), (now) => now > stopped, "a step goes on");
  const slow = await speed();
  await page.keyboard.press("ArrowUp");
  await becomes(speed, (v) => v > slow, "faster");
  await becomes(() => page.locator(".transport select").inputValue(), (v) => Number(v) > slow, "the list of speeds follows");
  await page.keyboard.press("ArrowDown");
  await becomes(speed, (v) => v === slow, "slower");
  await painted(page, "canvas.scene", 5000, "the scene is drawn");
}

// States of the panel are those of the row
async function testContacts(page) {
  await page.keyboard.press("Home");
  for (let i = 0; i < 4; i++) await page.keyboard.press("n");
  const wanted = await page.evaluate(() => {
    const { run, player } = window.stickslip, names = ["open", "stick", "slip+", "slip−", "closed", "slip"];
    return run.contacts.map((c) => names[run.columns.find((k) => k.name === `state.${c.name}`).values[player.row]]);
  });
  await becomes(() => page.locator(".contacts .state").allTextContents(), (shown) => shown.join() === wanted.join(), `states ${wanted}`);
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

// The areas of the energy plot stand on zero, also in a part of the time
async function testAreas(page) {
  const bottom = () => page.evaluate(() => window.stickslip.plots.filter((p) => p.options.stacked).map((p) => p.plot?.scales.J?.min)[0]);
  await page.keyboard.press("Home");
  await page.evaluate(() => window.stickslip.player.setWindow(0.3, 0.4));
  await becomes(bottom, (v) => v === 0, "areas begin at zero");
  await page.keyboard.press("0");
}

// Every key of the page is on the sheet, and the sheet goes away
async function testHelp(page) {
  await page.keyboard.press("?");
  await becomes(() => page.locator("dialog.help").isVisible(), (v) => v, "the sheet of keys");
  const keys = await page.locator("dialog.help kbd").allTextContents();
  for (const key of ["Space", "←", "→", "Shift", "P", "N", "↑", "↓", "R", "Home", "End", "+", "−", "0", "1", "2", "3", "4", "F", "C", "T", "V", "D", "?"]) {
    assert.ok(keys.includes(key), `the sheet lacks ${key}`);
  }
  await page.keyboard.press("Escape");
  await becomes(() => page.locator("dialog.help").isVisible(), (v) => !v, "the sheet goes away");
}

async function testWoodpecker(browser) {
  const page = await open(browser, "woodpecker");
  await testScrubbing(page);
  await testEvents(page);
  await testPlots(page);
  await testPhase(page);
  await testMotion(page);
  await testContacts(page);
  await testLayout(page, "laptop");
  await shoot(page, "plots");
  await page.keyboard.press("2");
  await painted(page, ".tab-body > :nth-child(2) .uplot canvas", 5000, "the energy ledger is drawn");
  await shoot(page, "energy");
  await testAreas(page);
  await page.keyboard.press("4");
  await page.waitForSelector("pre:has-text('Glocker & Studer 2005')");
  await testHelp(page);
  await page.keyboard.press("d");
  await until(page, () => document.documentElement.dataset.theme === "dark");
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
    const page = await open(browser, name, SMALL);
    for (const key of ["2", "3", "4", "1", "n", "p", "ArrowRight", "End", " ", " ", "+", "-", "0"]) await page.keyboard.press(key);
    await testLayout(page, name);
    await close(page, name);
  }
}

// A scene in space: what is drawn changes as time goes on
async function testScene(browser) {
  const page = await open(browser, "scene", process.env.SS_SHOTS ? {} : SMALL);
  const picture = async (t) => {
    await page.evaluate((at) => window.stickslip.show(at), t);
    return drawn(page);
  };
  assert.strictEqual(await page.locator(".scene-note").textContent(), "squares of 0.05 m", "the browser draws in space");
  const first = await picture(0), later = await picture(0.25);
  assert.notStrictEqual(first, later, "the balls move");
  const box = await page.locator("canvas.scene").boundingBox();
  await page.mouse.move(box.x + 150, box.y + 120);
  await page.mouse.down();
  await page.mouse.move(box.x + 250, box.y + 140, { steps: 3 });
  await page.mouse.up();
  await becomes(() => picture(0.25), (now) => now !== later, "it can be turned");
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
    const page = await open(browser, name, SMALL);
    await page.evaluate((at) => window.stickslip.show(at), t);
    for (const [key, part] of [["f", "forces"], ["c", "cones"], ["t", "trails"]]) {
      if (name === "stack" && part === "trails") continue;  // nothing moves
      const before = await drawn(page);
      await page.keyboard.press(key);
      await becomes(() => drawn(page), (now) => now !== before, `${name}: without ${part}`);
      await page.click(`.scene-tools button:text-is("${part}")`);
      await becomes(() => drawn(page), (now) => now === before, `${name}: ${part} again`);
    }
    if (name === "stack") {
      const before = await drawn(page);
      await page.keyboard.press("v");
      await becomes(() => drawn(page), (now) => now !== before, "from another corner");
    }
    await close(page, name);
  }
}

// The table of contacts of a scene is that of the row: all components, and each point once
async function testSceneContacts(browser) {
  const page = await open(browser, "stack");
  await page.evaluate(() => window.stickslip.show(0.05));
  const cells = () => page.locator(".contacts tbody tr:not([hidden])").evaluateAll((rows) => rows.map((r) =>
    [...r.querySelectorAll("td")].map((c) => c.textContent)));
  const full = (r) => r[1] === "stick" && r.slice(2, 9).every((x) => x !== "");  // gap, three velocities, three impulses
  const shown = await becomes(cells, (rows) => rows.length === 40 && rows.every(full), "four points under each of ten cubes");
  assert.strictEqual(new Set(shown.map((r) => r[0])).size, 40);
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

// The pixels of a part of a canvas, from a copy: those that are read often are kept elsewhere by the browser
const pixels = (page, selector, top = 0, rows = 0) => page.evaluate(([s, y, n]) => {
  const canvas = document.querySelector(s), copy = document.createElement("canvas"), k = canvas.width / canvas.clientWidth;
  copy.width = canvas.width;
  copy.height = n || canvas.height;
  const c = copy.getContext("2d", { willReadFrequently: true });
  c.drawImage(canvas, 0, -Math.round(k * y));
  return [...c.getImageData(0, 0, copy.width, copy.height).data];
}, [selector, top, rows]);

// Marks of contacts do not hide small bodies: what cones and arrows cover is less than the bodies are large
async function testMarks(browser) {
  const page = await open(browser, "rockfall");
  await page.evaluate(() => window.stickslip.show(2));
  const picture = async () => {
    await page.evaluate(() => window.stickslip.scene.draw());
    return pixels(page, "canvas.scene");
  };
  const shown = await picture();
  await page.keyboard.press("f");
  await page.keyboard.press("c");
  const bare = await picture();
  let covered = 0;
  for (let i = 0; i < bare.length; i += 4) if ([0, 1, 2, 3].some((k) => bare[i + k] !== shown[i + k])) covered++;
  const bodies = await page.evaluate(() => {  // the areas of the polygons
    const { scene, run } = window.stickslip, { shapes, values } = run.drawing;
    return shapes.filter((s) => s.kind === "polygon").reduce((sum, s) => {
      const v = s.numbers.map((k) => values[k][0]), n = v.length;
      let area = 0;
      for (let i = 0; i < n; i += 2) area += (v[i] * v[(i + 3) % n] - v[(i + 2) % n] * v[i + 1]) / 2;
      return sum + Math.abs(area) * scene.scale ** 2;
    }, 0);
  });
  assert.ok(covered > 0 && covered < bodies, `marks cover ${covered} pixels, bodies ${bodies}`);
  await close(page, "rockfall");
}

// Before the first step nothing is known of contacts but their gaps, and no step has a residual
async function testInitial(browser) {
  const page = await open(browser, "woodpecker", { query: "t=0" });
  const lines = () => page.locator(".contacts tbody tr").evaluateAll((rows) => rows.map((r) => [...r.cells].map((c) => c.textContent)));
  const unknown = (r) => r[1] === "–" && /\d/.test(r[2]) && r.slice(3, 7).every((v) => v === "–");
  await becomes(lines, (rows) => rows.length === 3 && rows.every(unknown), "the first row");
  await becomes(() => page.locator(".step-info").textContent(), (text) => / · before the first step$/.test(text), "no step");
  await page.keyboard.press("ArrowRight");
  await becomes(lines, (rows) => rows.every((r) => r.every((v) => v !== "–")), "the second row");
  await close(page, "woodpecker");
  const stack = await open(browser, "stack", { query: "t=0" });
  await becomes(() => stack.locator(".contacts .empty").textContent(), (text) => /not known before the first step/.test(text), "a stack");
  await close(stack, "stack");
}

// The picture keeps its size while lists of contacts grow and shrink
async function testSteady(browser) {
  for (const size of [{}, { width: 390, height: 844 }]) {
    for (const name of ["stack", "rockfall", "brush"]) {
      const page = await open(browser, name, size), seen = new Set(), below = new Set(), lines = new Set();
      const [a, b] = await page.evaluate(() => window.stickslip.player.whole);
      for (const part of [0, 0.01, 0.1, 0.3, 0.7, 0.02, 1]) {
        await page.evaluate((t) => window.stickslip.show(t), a + part * (b - a));
        await frames(page);
        seen.add((await page.locator("canvas.scene").boundingBox()).height);
        below.add((await page.locator(".side").boundingBox()).y);
        lines.add(await page.locator(".contacts tbody tr:not([hidden])").count());
      }
      assert.ok(lines.size > 1, `${name}: the list follows the row`);
      assert.deepStrictEqual([seen.size, below.size], [1, 1], `${name}: heights ${[...seen]}, what is below at ${[...below]}`);
      await close(page, name);
    }
  }
}

// Round-off does not fill plots, and a run with warnings has no badge that says all is well
async function testSober(browser) {
  const page = await open(browser, "stack");
  const ranges = await becomes(() => page.evaluate(() => window.stickslip.plots.filter((p) => p.plot && !p.options.log)
    .flatMap((p) => Object.entries(p.plot.scales).filter(([unit]) => unit === "m").map(([, s]) => s.max - s.min))),
                               (list) => list.length > 0, "plots of places");
  assert.ok(ranges.every((r) => r > 1e-11), `a stack that stands, plotted over ${ranges} m`);
  assert.strictEqual(await page.locator(".badge.good").count(), 1, "nothing is wrong");
  await shoot(page, "stack-plots");
  await close(page, "stack");
  const pendulum = await open(browser, "pendulum12");
  await becomes(() => pendulum.locator(".badge.warn").textContent(), (text) => /· \d warnings?$/.test(text), "warnings");
  await close(pendulum, "pendulum12");
}

// More events than a page keeps: it says so, and the time bar has marks up to the end
async function testMany(browser) {
  const page = await open(browser, "many");
  const { n, total, last, counted } = await page.evaluate(() => {
    const { events } = window.stickslip.run, sum = (list) => list.reduce((s, v) => s + v, 0);
    return { n: events.n, total: events.total, last: events.t.at(-1), counted: sum(events.marks.counts.map((c) => sum(c))) };
  });
  assert.ok(n === 20000 && total > n, `${n} of ${total} events`);
  assert.strictEqual(counted, total, "every event is in a mark");
  const said = `20 000 of ${String(total).replace(/(\d{3})$/, " $1")}`;
  const text = (selector) => page.locator(selector).textContent().then((s) => s.replace(/\u00a0/g, " "));
  assert.strictEqual(await text(".tabs button:nth-child(3)"), `Events (${said})`);
  assert.ok((await text(".event-note")).startsWith(`The first ${said} events`), "the table says it");
  await page.evaluate((t) => window.stickslip.player.setWindow(t + 1e-4, window.stickslip.player.end), last);
  await becomes(async () => {
    const d = await pixels(page, ".timebar", 12, 1);
    return d.filter((v, i) => i % 4 === 3 && v > 0).length / (d.length / 4);
  }, (part) => part > 0.2, "marks of events that are not listed");
  const box = await page.locator(".timebar").boundingBox(), tips = [];
  for (let x = 20; x < 120; x += 2) {
    await page.mouse.move(box.x + x, box.y + 8);
    tips.push(await page.locator(".tip").textContent());
  }
  assert.ok(tips.some((tip) => /^impact \d+.*\(not in the table\)$/.test(tip)), `${tips}`);
  await shoot(page, "many");
  await close(page, "many");
}

// Texts that are not seen in full
const cutTexts = (page, selector) => page.locator(selector).evaluateAll((all) => all
  .filter((e) => e.scrollWidth > e.clientWidth + 1 || e.scrollHeight > e.clientHeight + 1).map((e) => e.textContent));

// On a phone the names of contacts in space are whole, and stay in sight
async function testPhoneNames(browser) {
  const page = await open(browser, "stack", { width: 390, height: 844 });
  await page.evaluate(() => window.stickslip.show(0.05));
  const names = ".contacts :is(th:first-child, tr:not([hidden]) .name)";
  await count(page, names, (n) => n === 41, "the points of ten cubes");
  assert.deepStrictEqual(await cutTexts(page, names), []);
  const left = () => page.locator(".contacts .name").first().evaluate((e) => e.getBoundingClientRect().left);
  const before = await left();
  await page.locator(".contacts .scroll").evaluate((e) => { e.scrollLeft = 150; });
  assert.strictEqual(await page.locator(".contacts .scroll").evaluate((e) => e.scrollLeft), 150, "numbers can be scrolled to");
  near(await left(), before, 1, "names do not move");
  await shoot(page, "phone-stack");
  await close(page, "phone");
}

// Events of a scene: who was hit and the velocities are whole; what is not known is not zero
async function testEventTexts(browser) {
  for (const name of ["pendulum12", "brush", "woodpecker"]) {
    const page = await open(browser, name);
    await page.keyboard.press("3");
    await count(page, ".event-inner .event-row", (n) => n > 5, `${name}: events`);
    assert.deepStrictEqual(await cutTexts(page, ".event-inner .event-row > :is(:nth-child(3), :nth-child(5), :nth-child(6))"), [], name);
    const rows = await page.locator(".event-inner .event-row").evaluateAll((all) => all.map((r) => [...r.children].map((c) => c.textContent)));
    const detached = rows.filter((r) => r[1] === "detach");
    assert.ok(detached.length && detached.every((r) => r[4] !== "0 → 0"), `${name}: ${detached.map((r) => r[4])}`);
    if (name === "brush") assert.ok(detached.some((r) => r[4] === "–" && r[5] === "–"), `${name}: some are gone at once`);
    await shoot(page, `events-${name}`);
    await close(page, name);
  }
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

// Bodies that may touch in thousands of places: pairs of bodies have bands, and the table has what is closed, first
async function testBrush(browser) {
  const page = await open(browser, "brush");
  const cells = () => page.locator(".contacts tbody tr:not([hidden])").evaluateAll((rows) => rows.map((r) =>
    [r.querySelector(".name").textContent, r.querySelector(".state").textContent]));
  const wanted = (t) => page.evaluate((at) => {  // the names of what is closed
    window.stickslip.show(at);
    const { run, player } = window.stickslip, { touch } = run, i = player.row, names = [];
    for (let k = i ? touch.end[i - 1] : 0; k < touch.end[i]; k++) if (touch.state[k]) names.push(run.contacts[touch.contact[k]].name);
    return names;
  }, t);
  const closed = await page.evaluate(() => { const { contact, state } = window.stickslip.run.touch; return new Set(contact.filter((_, k) => state[k])).size; });
  assert.ok(closed > 40, `${closed} contacts were closed`);
  for (const t of [0.004, 0.008, 0.0097]) {
    const names = await wanted(t);
    const shown = await becomes(cells, (rows) => names.every((n, k) => rows[k]?.[0] === n && rows[k][1] !== "open"), `closed: ${names}`);
    assert.ok(shown.slice(names.length).every((r) => r[1] === "open"), "then those that are near");
  }
  const box = await page.locator(".timebar").boundingBox(), tips = [];
  for (let band = 0; band < 2; band++) {
    await page.mouse.move(box.x + box.width / 2, box.y + 18 + 11 * band + 5);
    tips.push(await becomes(() => page.locator(".tip").textContent(), (text) => text && !tips.includes(text), `band ${band}`));
  }
  assert.deepStrictEqual(tips.map((text) => text.split(":")[0]), ["ring - brush", "brush - guide_right"]);
  await testLayout(page, "brush");
  await shoot(page, "brush");
  await close(page, "brush");
}

// Contacts without friction are "closed", and the legend says so; on a phone it does not lie on the picture
async function testLegend(browser) {
  const keys = (page) => page.locator(".state-legend .key:visible").allTextContents();
  const page = await open(browser, "hostile");
  await becomes(() => keys(page), (k) => k.join() === "open,closed,impact", "a stop without friction");
  await close(page, "hostile");
  const phone = await open(browser, "woodpecker", { width: 390, height: 844 });
  await becomes(() => keys(phone), (k) => k.join() === "open,stick,slip+,slip−,impact", "contacts with friction");
  const bottom = await phone.locator(".scene-head").evaluate((e) => e.getBoundingClientRect().bottom);
  const top = (await phone.locator("canvas.scene").boundingBox()).y;
  assert.ok(bottom <= top + 1, `the legend ends at ${bottom}, the picture begins at ${top}`);
  await close(phone, "phone");
}

// Pages whose data were cut, or changed on their way, say so and show nothing
async function testDamaged(browser) {
  const text = fs.readFileSync(`${folder}/ball.html`, "utf8"), mark = '<script type="application/json" id="run-data">';
  const from = text.indexOf(mark) + mark.length, to = text.indexOf("</script>", from), data = text.slice(from, to);
  const harms = { cut: (d) => d.slice(0, d.length / 2), nothing: () => "", other: () => "{}",
                  shorter: (d) => d.replace(/"data":"[A-Za-z0-9+/=]{16}/, '"data":"'), letters: (d) => d.replace(/"data":"..../, '"data":"!!!!'),
                  kinds: (d) => d.replace(/"columns":\[/, '"columns":[null,') };
  const page = await newPage(browser, 800, 600, () => true);
  for (const [name, harm] of Object.entries(harms)) {
    assert.notStrictEqual(harm(data), data, name);
    fs.writeFileSync(`${folder}/damaged.html`, text.slice(0, from) + harm(data) + text.slice(to));
    await page.goto(`file://${folder}/damaged.html`);
    await becomes(() => page.locator("#app").textContent(), (t) => /^This page cannot be shown: its data are damaged/.test(t), name);
  }
  await page.close();
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
  const browser = await launch();
  try {
    for (const test of [testWoodpecker, testSmall, testOdd, testScene, testParts, testSceneContacts, testBrush, testMarks, testInitial, testSteady,
                        testSober, testMany, testPhoneNames, testEventTexts, testLegend, testPlain, testDamaged, testHostile]) {
      if (process.env.SS_ONLY && test.name !== process.env.SS_ONLY) continue;
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
