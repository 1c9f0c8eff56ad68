// `stickslip view` without a browser: who is let in, what the socket does with good and bad messages, what the simulation
// does when it is changed. Called by test/viewer/server.sh.
const assert = require("assert");
const fs = require("fs");
const net = require("net");
const { execFileSync } = require("child_process");
const { Tool, masked } = require("./view.cjs");

const folder = process.env.SS_FOLDER;
const near = (a, b, tol, text) => assert.ok(Math.abs(a - b) <= tol, `${text}: ${a} is not ${b}`);

const open = async (...args) => {
  const tool = await Tool.start(args, folder), key = await tool.key();
  const socket = await tool.connect(key);
  await socket.until(() => socket.hello && socket.rows.length && socket.status, "the first frame");
  return { tool, key, socket };
};

// ---- who is let in ----

async function testToken() {
  const tool = await Tool.start(["ball"], folder);
  assert.match(tool.address, /^http:\/\/127\.0\.0\.1:\d+\/\?token=[0-9a-f]{32}$/);
  for (const bad of ["", "0", "0".repeat(32), tool.token.slice(1), tool.token + "0", tool.token.toUpperCase() + "x", "%00"]) {
    const answer = await tool.request(`/?token=${bad}`).catch(() => ({ status: 403 }));  // or the connection just ends
    assert.strictEqual(answer.status, 403, `token '${bad}'`);
  }
  const page = await tool.request(`/?token=${tool.token}`);
  assert.strictEqual(page.status, 200, "bad tokens do not use it up");
  assert.match(page.headers["content-security-policy"], /default-src 'none'.*connect-src ws:\/\/127\.0\.0\.1:\d+ .*frame-ancestors 'none'/);
  assert.strictEqual(page.headers["cache-control"], "no-store");
  assert.ok(!page.headers["access-control-allow-origin"] && !page.headers["set-cookie"]);
  const key = /\{"live":"([0-9a-f]{32})"\}/.exec(page.text)[1];
  assert.notStrictEqual(key, tool.token);
  assert.strictEqual((await tool.request(`/?token=${tool.token}`)).status, 403, "a second time");
  const plain = await tool.request("/");
  assert.ok(plain.status === 200 && !plain.text.includes(key) && plain.text.includes('{"live":""}'), "no key without a token");
  assert.strictEqual(await tool.connect(tool.token), 403, "the token does not open the socket");
  assert.strictEqual(await tool.connect(""), 403);
  assert.strictEqual(await tool.connect("0".repeat(32)), 403);
  const socket = await tool.connect(key);
  await socket.until(() => socket.hello, "hello");
  socket.end();
  assert.strictEqual(await tool.end(), 0);
}

async function testOrigin() {
  const tool = await Tool.start(["ball"], folder), key = await tool.key();
  const bad = ["http://evil.example", "null", "", `https://${tool.host}`, `http://127.0.0.1:${tool.port + 1}`, "http://127.0.0.1",
               `http://${tool.host}.evil.example`, `http://${tool.host}@evil.example`, "file://"];
  for (const origin of bad) assert.strictEqual(await tool.connect(key, { origin }), 403, `origin '${origin}'`);
  for (const host of ["evil.example", `evil.example:${tool.port}`, "127.0.0.1", `127.0.0.1.nip.io:${tool.port}`]) {
    assert.strictEqual(await tool.connect(key, { host }), 403, `host ${host}`);
    assert.strictEqual((await tool.request("/", { headers: { Host: host } })).status, 403, `host ${host}`);
  }
  assert.strictEqual(await tool.connect(key, { path: "/other" }), 403);
  const socket = await tool.connect(key, { host: `localhost:${tool.port}`, origin: `http://localhost:${tool.port}` });
  await socket.until(() => socket.hello, "hello under the name localhost");
  assert.strictEqual(await tool.end(), 0);
}

async function testPaths() {
  const tool = await Tool.start(["ball"], folder);
  for (const path of ["/../../etc/passwd", "/..%2f..%2fetc/passwd", "/%2e%2e/%2e%2e/etc/passwd", "/index.html", "/socket", "/favicon.ico",
                      "/.", "/%00", "/" + "a".repeat(500)]) {
    const answer = await tool.request(path).catch(() => ({ status: 0, text: "" }));
    assert.ok([0, 400, 403, 404, 414].includes(answer.status) || (answer.status === 200 && answer.text.includes('{"live":""}')), `${path}: ${answer.status}`);
    assert.ok(!answer.text.includes("root:"), path);
  }
  for (const method of ["POST", "PUT", "DELETE", "OPTIONS", "PATCH"]) {
    const answer = await tool.request("/", { method, body: method === "POST" ? "x=1" : undefined }).catch(() => ({ status: 0 }));
    assert.ok([0, 403, 404, 405].includes(answer.status), `${method}: ${answer.status}`);
  }
  for (const path of ["/", `/?token=${tool.token}`]) {  // as GET, without the page, and the token stays good
    const head = await tool.request(path, { method: "HEAD" });
    assert.strictEqual(head.status, 200, `HEAD ${path}`);
    assert.strictEqual(head.text, "");
    assert.match(head.headers["content-security-policy"], /default-src 'none'/);
    assert.ok(Number(head.headers["content-length"]) > 100000, `HEAD ${path}: ${head.headers["content-length"]} bytes`);
  }
  assert.strictEqual((await tool.request("/other", { method: "HEAD" })).status, 404);
  assert.strictEqual((await tool.request(`/?token=${"0".repeat(32)}`, { method: "HEAD" })).status, 403);
  await new Promise((done) => {  // what is no HTTP at all
    const s = net.connect(tool.port, "127.0.0.1", () => s.write(Buffer.from("\x16\x03\x01 rubbish \x00\xff\r\n\r\n".repeat(300), "latin1")));
    s.on("close", done);
    s.on("error", () => {});
    setTimeout(() => s.destroy(), 200);
  });
  assert.strictEqual((await tool.request(`/?token=${tool.token}`)).status, 200, "the token is still good");
  assert.ok(tool.alive);
  assert.strictEqual(await tool.end(), 0);
}

// Only 127.0.0.1 listens
async function testAddress() {
  const tool = await Tool.start(["ball"], folder);
  const lines = fs.readFileSync("/proc/net/tcp", "utf8").split("\n").slice(1).map((l) => l.trim().split(/\s+/)).filter((f) => f[3] === "0A");
  const port = tool.port.toString(16).toUpperCase().padStart(4, "0");
  const ours = lines.map((f) => f[1]).filter((a) => a.endsWith(":" + port));
  assert.deepStrictEqual(ours, ["0100007F:" + port]);
  await assert.rejects(Tool.start(["ball", "--port", String(tool.port)], folder), /in use/, "a port that is taken");
  assert.strictEqual(await tool.end(), 0);
  await assert.rejects(tool.request("/"), /ECONNREFUSED/, "it stops with the tool");
}

// ---- messages ----

const MALFORMED = [
  "", "{", "nonsense", "[]", "null", "42", "\"run\"", "{}", '{"do":1}', '{"do":"quit"}', '{"do":"run"}', '{"do":"run","on":1}',
  '{"do":"run","on":true,"more":1}', '{"do":"run","on":true,"on":false}', '{"do":"run","on":true} x', '{"do":"step","n":0}',
  '{"do":"step","n":1.5}', '{"do":"step","n":1e99}', '{"do":"speed","speed":-1}', '{"do":"speed","speed":"1"}', '{"do":"speed","speed":1e999}',
  '{"do":"set","path":"a"}', '{"do":"set","path":"","value":"1"}', '{"do":"set","path":"a","value":1}', '{"do":"set","path":"nowhere","value":"1"}',
  '{"do":"set","path":"a","value":"1/0"}', '{"do":"set","path":"a","value":"$$"}', '{"do":"set","path":"m","value":"-1"}',
  '{"do":"settings","integrator":"rk4"}', '{"do":"settings","dt":0}', '{"do":"settings","dt":"1"}', '{"do":"settings","project":true}',
  '{"do":"settings","solver":null}', '{"do":"settings","impact":5}', '{"do":"drag"}', '{"do":"drag","shape":99,"local":[0,0],"target":[0,0]}',
  '{"do":"drag","shape":0,"local":[0],"target":[0,0]}', '{"do":"drag","shape":0,"local":[0,0],"target":[1e300,0]}',
  '{"do":"drag","shape":-1,"local":[0,0],"target":[0,0]}', '{"do":"drag","shape":0,"corner":9,"local":[0,0],"target":[0,0]}',
  '{"do":"record","on":"/etc/passwd"}', '{"do":"record","on":true,"path":"/tmp/x"}', '{"do":"save","path":"/tmp/x"}', '{"do":"ack","number":1e9}',
  '{"do":"ack","number":-1}', '{"id":"a","do":"reset"}', "[".repeat(2000), '{"a":'.repeat(700), '{"do":"run\\u0000","on":true}', "\u0000",
];

async function testMalformed() {
  const { tool, socket } = await open("model.yaml");
  const before = socket.rows[socket.rows.length - 1].t;
  for (const text of MALFORMED) {
    const errors = socket.texts.filter((m) => m.error).length;
    socket.send(text);
    await socket.until(() => socket.texts.filter((m) => m.error).length > errors, `an error for ${text.slice(0, 60)}`);
  }
  const errors = socket.texts.filter((m) => m.error).length;
  socket.raw(2, Buffer.from([0, 1, 2, 255]));
  await socket.until(() => socket.texts.filter((m) => m.error).length > errors, "an error for bytes");
  await socket.until(() => socket.rows[socket.rows.length - 1].t > before, "the simulation goes on");
  assert.strictEqual(socket.status.running, true);
  assert.deepStrictEqual(fs.readdirSync(folder).filter((f) => /live|step-/.test(f)), [], "no file was written");
  const row = socket.rows[socket.rows.length - 1];
  near(socket.value(row, "u_x"), 2 * row.t, 1e-4 * row.t + 1e-6, "nothing has changed");
  assert.strictEqual(await tool.end(), 0);
}

async function testFrames() {
  const { tool, key } = await open("ball");
  const bad = [
    (s) => s.raw(1, Buffer.from("{}"), { masked: false }),
    (s) => { s.send({ do: "pause" }); s.raw(9, Buffer.alloc(0), { masked: false }); },
    (s) => { s.raw(9, Buffer.alloc(200, 97)); s.raw(1, Buffer.alloc(300, 32), { masked: false }); },
    (s) => s.send("x".repeat(5000)),
    (s) => { s.raw(1, Buffer.alloc(3000, 32), { final: false }); s.raw(0, Buffer.alloc(3000, 32), { final: false }); },
    (s) => s.raw(1, Buffer.alloc(1 << 20, 97)),
    (s) => s.raw(1, Buffer.from([0xff, 0xfe, 0xc0])),
    (s) => s.raw(3, Buffer.from("{}")),
    (s) => s.raw(1, Buffer.from("{}"), { reserved: 64 }),
    (s) => s.raw(0, Buffer.from("{}")),
    (s) => s.raw(8, Buffer.alloc(1)),
    (s) => s.socket.write(Buffer.alloc(2000, 255)),
  ];
  for (let i = 0; i < bad.length; i++) {
    const socket = await tool.connect(key);
    await socket.until(() => socket.hello, `hello ${i}`);
    bad[i](socket);
    if (i < 6) {
      await socket.until(() => socket.closed !== null, `the end of connection ${i}`);
      assert.ok([1009, 1006].includes(socket.closed), `not masked, or too large: ${socket.closed}`);
    } else await new Promise((done) => setTimeout(done, 50));
    socket.end();
    assert.ok(tool.alive, `it has survived ${i}`);
  }
  const last = await tool.connect(key);
  await last.until(() => last.rows.length > 3, "frames after all that");
  assert.strictEqual(await tool.end(), 0);
}

// A page that acknowledges nothing gets two frames and no more
async function testSlow() {
  const tool = await Tool.start(["ball"], folder), socket = await tool.connect(await tool.key());
  socket.mute = true;
  await socket.until(() => socket.status?.t > 0.5, "half a second");
  assert.ok(socket.frames <= 2, `${socket.frames} frames`);
  socket.mute = false;
  socket.send({ do: "ack", number: 2 });
  const rows = await socket.next(2);
  assert.ok(rows.length <= 80, `${rows.length} rows at once`);
  for (let i = 1; i < socket.rows.length; i++) assert.ok(socket.rows[i].t >= socket.rows[i - 1].t, "times rise");
  assert.strictEqual(await tool.end(), 0);
}

/** How long a request takes, ms. */
async function wait(tool) {
  const start = process.hrtime.bigint();
  assert.strictEqual((await tool.request("/nothing", { headers: { host: tool.host } })).status, 404, "others are served");
  return Number(process.hrtime.bigint() - start) / 1e6;
}

// One that asks and asks and reads none of the answers: what waits for it is bounded, others are served meanwhile, within
// a second (or, on a machine that is busy, not much later than before), and in the end it is dropped.
async function testNeverReads() {
  const { tool, socket } = await open("ball");
  const memory = () => Number(/VmRSS:\s+(\d+)/.exec(fs.readFileSync(`/proc/${tool.child.pid}/status`, "latin1"))[1]) / 1024;
  const before = memory(), many = Buffer.concat(Array.from({ length: 500 }, () => masked(Buffer.from(`{"do":"${"x".repeat(40)}"}`))));
  let most = 0, usual = 0;
  const times = [];
  for (let i = 0; i < 10; i++) usual = Math.max(usual, await wait(tool));
  socket.socket.pause();
  for (let i = 0; i < 2000 && !socket.socket.destroyed; i++) {
    await new Promise((done) => { socket.socket.write(many, done); setTimeout(done, 200); });
    if (i % 10) continue;
    times.push(await wait(tool));
    most = Math.max(most, memory() - before);
  }
  assert.ok(socket.socket.destroyed, "it was dropped");
  assert.ok(times.length > 0);
  const middle = times.sort((a, b) => a - b)[times.length >> 1];  // one of them may meet a moment when all is busy
  console.log(`${times.length} others served in ${middle.toFixed(0)} ms, before ${usual.toFixed(0)} ms at most`);
  assert.ok(middle < Math.max(1000, 20 * usual), `others waited ${middle} ms, before ${usual} ms`);
  if (!process.env.SS_CFLAGS) assert.ok(most < 40, `${most} MB more`);
  assert.strictEqual(await tool.end(), 0);
}

async function testReplaced() {
  const { tool, key, socket } = await open("ball");
  const other = await tool.connect(key);
  await other.until(() => other.rows.length > 3, "rows for the new one");
  await socket.until(() => socket.closed !== null, "the end of the old one");
  assert.strictEqual(socket.closed, 1008);
  assert.strictEqual(await tool.end(), 0);
}

// ---- the simulation ----

// x'' = a: what the model says, before and after a change; the position goes on
async function testSet() {
  const { tool, socket } = await open("model.yaml");
  const acceleration = (rows) => {
    const a = rows[0], b = rows[rows.length - 1];
    return (socket.value(b, "u_x") - socket.value(a, "u_x")) / (b.t - a.t);
  };
  near(acceleration(await socket.next(40)), 2, 1e-3, "at first");
  assert.strictEqual(await socket.ask({ do: "set", path: "a", value: "-3" }), null);
  const before = socket.rows[socket.rows.length - 1], rows = (await socket.next(60)).slice(2);
  near(acceleration(rows), -3, 1e-3, "then");
  const way = socket.value(rows[0], "x") - socket.value(before, "x"), mean = (socket.value(rows[0], "u_x") + socket.value(before, "u_x")) / 2;
  near(way, mean * (rows[0].t - before.t), 5 * (rows[0].t - before.t) ** 2 + 1e-3, "from where it was");
  const model = socket.texts.filter((m) => m.model).pop().model;
  assert.strictEqual(model.parameters.find((p) => p.path === "a").value, "-3");
  // the balance: T + V - work is what it was, also over the change, at which V jumps
  const balance = (r) => socket.value(r, "kinetic") + socket.value(r, "potential") - socket.value(r, "work_drive");
  near(balance(rows[rows.length - 1]), balance(socket.rows[0]), 1e-3, "energy");
  assert.strictEqual(await socket.ask({ do: "set", path: "contacts.floor.mu", value: "0.7" }), null);
  assert.strictEqual(socket.texts.filter((m) => m.model).pop().model.contacts[0].mu, 0.7);
  assert.strictEqual(await tool.end(), 0);
}

async function testSteps() {
  const { tool, socket } = await open("model.yaml", "--paused", "--set", "a=1");
  assert.strictEqual(socket.status.running, false);
  assert.strictEqual(socket.rows.length, 1);
  assert.strictEqual(await socket.ask({ do: "step", n: 1 }), null);
  await socket.until(() => socket.rows.length > 1, "a row");
  near(socket.rows[1].t, 0.001, 1e-12, "one step");
  assert.strictEqual(await socket.ask({ do: "step", n: 100 }), null);
  await socket.until(() => socket.status.step === 101, "101 steps");
  assert.strictEqual(await socket.ask({ do: "settings", dt: 0.002 }), null);
  assert.strictEqual(await socket.ask({ do: "step", n: 10 }), null);
  await socket.until(() => Math.abs(socket.rows[socket.rows.length - 1].t - 0.121) < 1e-9, "10 steps of 2 ms");
  assert.strictEqual(await socket.ask({ do: "reset" }), null);
  await socket.until(() => socket.texts.some((m) => m.reset) && socket.rows[socket.rows.length - 1].t === 0, "the start");
  assert.strictEqual(socket.value(socket.rows[socket.rows.length - 1], "u_x"), 0);
  assert.strictEqual(await socket.ask({ do: "run", on: true }), null);
  await socket.until(() => socket.rows[socket.rows.length - 1].t > 0.1, "motion");
  assert.strictEqual(await tool.end(), 0);
}

async function testIntegrators() {
  const { tool, socket } = await open("woodpecker", "--speed", "0.2");
  assert.strictEqual(await socket.ask({ do: "settings", project: "on" }), null);  // of which event and rattle know nothing
  for (const integrator of ["euler", "rattle", "moreau", "event", "jean", "moreau"]) {
    assert.strictEqual(await socket.ask({ do: "settings", integrator }), null);
    const t = socket.status.t;
    await socket.until(() => socket.status.t > t + 0.05, `motion by ${integrator}`);
    assert.strictEqual(socket.status.why, "", integrator);
  }
  for (const solver of ["lemke", "pgs", "newton-min", "block-pivot", "auto"]) {
    assert.strictEqual(await socket.ask({ do: "settings", solver }), null);
    const t = socket.status.t;
    await socket.until(() => socket.status.t > t + 0.01, `motion by ${solver}`);
  }
  assert.strictEqual(await tool.end(), 0);
  const scene = await open("billiards", "--speed", "0.1");
  for (const solver of ["nsgs", "newton", "auto"]) {
    assert.strictEqual(await scene.socket.ask({ do: "settings", solver }), null);
    const t = scene.socket.status.t;
    await scene.socket.until(() => scene.socket.status.t > t + 0.01, `motion by ${solver}`);
  }
  assert.strictEqual(await scene.socket.ask({ do: "set", path: "option.gravity", value: "0 0 -2" }), null);
  assert.strictEqual(await scene.socket.ask({ do: "set", path: "geom.table.friction", value: "0.9" }), null);
  const known = scene.socket.texts.filter((m) => m.model).pop().model.contacts.map((c) => c.name);
  assert.ok(known.length >= 4 && new Set(known).size === known.length, `contacts keep their numbers: ${known}`);
  assert.strictEqual(await scene.tool.end(), 0);
}

// Event-driven: impacts at their exact instants, changes and the mouse as with steps; what it cannot follow it says, and
// another integrator goes on from there
async function testEventDriven() {
  const { tool, socket } = await open("model.yaml", "--integrator", "event", "--paused", "--set", "initial.y=0.5", "--set", "contacts.floor.eps_n=0.8");
  assert.strictEqual(await socket.ask({ do: "record", on: true }), null);
  assert.strictEqual(await socket.ask({ do: "run", on: true }), null);
  await socket.until(() => socket.events.filter((e) => e.kind === 0).length >= 3, "three impacts");
  const fall = Math.sqrt(2 * 0.5 / 9.81), impacts = socket.events.filter((e) => e.kind === 0).map((e) => e.t);
  [fall, fall * (1 + 1.6), fall * (1 + 1.6 + 1.28)].forEach((t, i) => near(impacts[i], t, 1e-9, `impact ${i}`));
  for (let i = 1; i < socket.rows.length; i++) assert.ok(socket.rows[i].t >= socket.rows[i - 1].t, "times rise");
  assert.strictEqual(await socket.ask({ do: "set", path: "a", value: "-3" }), null);
  const rows = (await socket.next(60)).slice(2), [a, b] = [rows[0], rows[rows.length - 1]];
  near((socket.value(b, "u_x") - socket.value(a, "u_x")) / (b.t - a.t), -3, 1e-3, "a value is changed");
  assert.strictEqual(await socket.ask({ do: "set", path: "a", value: "0" }), null);
  const latest = () => socket.rows[socket.rows.length - 1], goal = socket.value(latest(), "x") + 0.3;
  assert.strictEqual(await socket.ask({ do: "drag", shape: 0, local: [0, 0], target: [goal, 1] }), null);
  await socket.until(() => Math.abs(socket.value(latest(), "x") - goal) < 0.02 && Math.abs(socket.value(latest(), "u_x")) < 0.05, "it is dragged");
  assert.strictEqual(await socket.ask({ do: "release" }), null);
  assert.strictEqual(await socket.ask({ do: "record", on: false }), null);
  assert.match(await socket.ask({ do: "save" }), /event-driven/);
  assert.strictEqual(await tool.end(), 0);
  const records = fs.readdirSync(folder).filter((f) => /^model-live/.test(f));
  assert.strictEqual(records.length, 3, "one for each value of a");
  for (const f of records) fs.unlinkSync(`${folder}/${f}`);
  const scene = await open("billiards", "--integrator", "event", "--speed", "0.2");
  await scene.socket.until(() => scene.socket.events.length > 3 && scene.socket.status.t > 0.05, "a scene");
  assert.strictEqual(scene.socket.status.why, "");
  assert.strictEqual(await scene.tool.end(), 0);
  const boxes = await open("stack10", "--integrator", "event");
  await boxes.socket.until(() => /cannot follow/.test(boxes.socket.status.why) && !boxes.socket.status.running, "why it stands");
  assert.strictEqual(await boxes.socket.ask({ do: "settings", integrator: "moreau" }), null);
  assert.strictEqual(await boxes.socket.ask({ do: "run", on: true }), null);
  await boxes.socket.until(() => boxes.socket.status.t > 0.05 && boxes.socket.status.why === "", "motion by moreau");
  assert.strictEqual(await boxes.tool.end(), 0);
}

// The spring ends where it should: at the mouse, but for the weight and the other forces
async function testDrag() {
  const { tool, socket } = await open("model.yaml", "--set", "a=0");
  assert.match(await socket.ask({ do: "drag", shape: 1, local: [0, 0], target: [1, 1] }), /cannot be moved/);
  const x0 = socket.value(socket.rows[socket.rows.length - 1], "x");
  assert.strictEqual(await socket.ask({ do: "drag", shape: 0, local: [0, 0], target: [x0 + 0.5, 1] }), null);
  const latest = () => socket.rows[socket.rows.length - 1];
  await socket.until(() => Math.abs(socket.value(latest(), "x") - x0 - 0.5) < 0.01 && Math.abs(socket.value(latest(), "u_x")) < 0.02, "it gets there");
  assert.ok(socket.value(latest(), "work_drive") > 0, "the work of the mouse is in the ledger");
  await socket.until(() => Math.abs(socket.value(latest(), "y") - 1 + 9.81 / 225) < 0.02, "it hangs on the spring: g/omega^2 below the mouse");
  assert.strictEqual(await socket.ask({ do: "release" }), null);
  const E = (r) => socket.value(r, "kinetic") + socket.value(r, "potential") - socket.value(r, "work_drive")
                   + socket.value(r, "loss_normal") + socket.value(r, "loss_friction");
  await socket.next(30);
  near(E(latest()), E(socket.rows[0]), 0.02, "the balance holds through it all");
  assert.strictEqual(await tool.end(), 0);
  const scene = await open("free.xml");
  assert.match(await scene.socket.ask({ do: "drag", body: 5, local: [0, 0, 0], target: [0, 0, 0] }), /no body/);
  assert.strictEqual(await scene.socket.ask({ do: "drag", body: 0, local: [0, 0, 0], target: [0.3, -0.2, 0.4] }), null);
  await scene.socket.until(() => {
    const r = scene.socket.rows[scene.socket.rows.length - 1];
    return [0.3, -0.2, 0.4].every((v, i) => Math.abs(r.values[i] - v) < 0.01);
  }, "the ball gets there");
  assert.strictEqual(await scene.tool.end(), 0);
}

// Records and problems are good files, and nothing is replaced
async function testFiles() {
  const tool = (...args) => execFileSync(process.env.SS_TOOL, args, { cwd: folder, stdio: ["ignore", "pipe", "pipe"] }).toString();
  fs.writeFileSync(`${folder}/model-live.h5`, "mine");
  const { tool: view, socket } = await open("model.yaml");
  assert.strictEqual(await socket.ask({ do: "record", on: true }), null);
  await socket.until(() => socket.status.rows > 50, "50 rows in the record");
  assert.strictEqual(socket.status.record, "model-live-2.h5");
  assert.strictEqual(await socket.ask({ do: "set", path: "a", value: "0.5" }), null);  // ends one record, begins another
  await socket.until(() => socket.status.record === "model-live-3.h5" && socket.status.rows > 50, "50 rows in the next one");
  assert.strictEqual(await socket.ask({ do: "record", on: false }), null);
  await socket.until(() => !socket.status.recording, "the end of the record");
  assert.strictEqual(await socket.ask({ do: "run", on: false }), null);
  assert.strictEqual(await socket.ask({ do: "save" }), null);  // on the floor: there is a contact problem
  const saved = socket.texts.find((m) => m.saved).saved;
  assert.strictEqual(await view.end(), 0);
  assert.strictEqual(fs.readFileSync(`${folder}/model-live.h5`, "utf8"), "mine");
  fs.unlinkSync(`${folder}/model-live.h5`);
  for (const [file, a] of [["model-live-2.h5", 2], ["model-live-3.h5", 0.5]]) {
    const data = JSON.parse(tool("report", file, "-o", "data.json") || fs.readFileSync(`${folder}/data.json`, "utf8"));
    assert.strictEqual(data.status, "complete", file);
    assert.ok(data.rows_total > 40, `${file}: ${data.rows_total} rows`);
    assert.ok(data.settings.some((s) => s[0] === "changed" && s[1].startsWith("a = 0.5")) === (a === 0.5), file);
  }
  tool("solve", saved);
  for (const f of [saved, "model-live-2.h5", "model-live-3.h5", "data.json"]) fs.unlinkSync(`${folder}/${f}`);
}

// Names of files are the model's, in letters that mean nothing in paths, whatever the page calls the model; names that
// other programs take at the same time are theirs
async function testNames() {
  const views = await Promise.all([1, 2, 3].map(() => open("model.yaml", "--paused")));
  for (const { socket } of views) assert.strictEqual(await socket.ask({ do: "set", path: "name", value: "../../e v/il" }), null);
  const answers = await Promise.all(views.map(({ socket }) => socket.ask({ do: "record", on: true })));
  assert.deepStrictEqual(answers, [null, null, null]);
  const names = await Promise.all(views.map(({ socket }) => socket.until(() => socket.status.record, "its name")));
  assert.deepStrictEqual(names.sort(), ["______e_v_il-live-2.h5", "______e_v_il-live-3.h5", "______e_v_il-live.h5"]);
  for (const { socket } of views) assert.strictEqual(await socket.ask({ do: "step", n: 3 }), null);
  assert.deepStrictEqual(await Promise.all(views.map(({ tool }) => tool.end())), [0, 0, 0]);
  for (const name of names) {
    execFileSync(process.env.SS_TOOL, ["report", name, "-o", "data.json"], { cwd: folder });
    assert.strictEqual(JSON.parse(fs.readFileSync(`${folder}/data.json`, "utf8")).rows_total, 4, name);
    fs.unlinkSync(`${folder}/${name}`);
  }
  fs.unlinkSync(`${folder}/data.json`);
  // a folder that is not there: an error, nothing left, and the simulation goes on
  const { tool, socket } = await open("model.yaml", "-o", "nowhere/x.h5");
  assert.match(await socket.ask({ do: "record", on: true }), /nowhere/);
  await socket.next(3);
  assert.strictEqual(await tool.end(), 0);
}

async function testNothingToSave() {
  const { tool, socket } = await open("free.xml", "--paused");
  assert.match(await socket.ask({ do: "save" }), /no contact problem/);
  assert.strictEqual(await socket.ask({ do: "step", n: 1 }), null);
  assert.match(await socket.ask({ do: "save" }), /no contact problem/);
  assert.strictEqual(await tool.end(), 0);
}

async function testOnce() {
  const { tool, socket } = await open("ball", "--once");
  socket.end();
  assert.strictEqual(await tool.ended, 0, "the tool ends when the page is closed");
}

// The browser of the desktop gets a file that only its user can read; it leads to the address and goes with the tool
async function testBrowser() {
  const bin = fs.mkdtempSync(`${folder}/bin-`), script = `${bin}/xdg-open`;
  fs.writeFileSync(script, `#!/bin/sh\necho "$@" >"${bin}/words"\ncp "$1" "${bin}/copy"\nstat -c %a "$(dirname "$1")" >"${bin}/mode"\n: >"${bin}/done"\n`, { mode: 0o755 });
  const env = { ...process.env, PATH: `${bin}:${process.env.PATH}`, DISPLAY: ":9", TMPDIR: bin, XDG_RUNTIME_DIR: "" };
  const tool = await Tool.start(["ball"], folder, env);
  while (!fs.existsSync(`${bin}/done`)) await new Promise((done) => setTimeout(done, 20));  // nobody waits for the browser
  const words = fs.readFileSync(`${bin}/words`, "utf8").trim();
  assert.ok(!words.includes(tool.token), "the token is on no command line");
  assert.ok(fs.readFileSync(`${bin}/copy`, "utf8").includes(`url=${tool.address}"`), "it leads to the address");
  assert.strictEqual(fs.readFileSync(`${bin}/mode`, "utf8").trim(), "700");
  assert.strictEqual(await tool.end(), 0);
  assert.ok(!fs.existsSync(words), "the file is gone");
  fs.rmSync(bin, { recursive: true });
}

(async () => {
  const tests = [testToken, testOrigin, testPaths, testAddress, testMalformed, testFrames, testSlow, testNeverReads, testReplaced, testSet, testSteps,
                 testIntegrators, testEventDriven, testDrag, testFiles, testNames, testNothingToSave, testOnce, testBrowser];
  const wanted = process.env.SS_ONLY;
  for (const test of tests) {
    if (wanted && test.name !== wanted) continue;
    await test();
    console.log(test.name, "ok");
  }
  process.exit(0);
})().catch((error) => {
  console.error(error);
  process.exit(1);
});
