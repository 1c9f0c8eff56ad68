// For tests of `stickslip view`: starts the tool, asks it as a browser does, and talks to its socket byte by byte, so
// that also what no browser would send can be sent.
const crypto = require("crypto");
const http = require("http");
const net = require("net");
const { spawn } = require("child_process");

const WAIT = Number(process.env.SS_WAIT ?? 60000);  // ms; machines may be slow
const children = [];
process.on("exit", () => { for (const c of children) c.kill("SIGKILL"); });

class Tool {
  static start(args, folder, env = null) {
    const tool = new Tool();
    tool.child = spawn(process.env.SS_TOOL, ["view", ...args, ...(env ? [] : ["--no-browser"])], { cwd: folder, env: env ?? process.env });
    children.push(tool.child);
    tool.errors = "";
    tool.child.stderr.on("data", (d) => { tool.errors += d; });
    tool.ended = new Promise((done) => tool.child.on("exit", (code, signal) => done(signal ?? code)));
    return new Promise((done, failed) => {
      let text = "";
      tool.ended.then((code) => failed(new Error(`the tool ended with ${code}: ${tool.errors}`)));
      tool.child.stdout.on("data", (d) => {
        text += d;
        if (!text.includes("\n")) return;
        tool.address = text.split("\n")[0];
        const url = new URL(tool.address);
        tool.port = Number(url.port);
        tool.host = url.host;
        tool.token = url.searchParams.get("token");
        done(tool);
      });
    });
  }

  get alive() { return this.child.exitCode === null && this.child.signalCode === null; }

  /** Ctrl-C; the exit status. */
  end() {
    this.child.kill("SIGINT");
    return this.ended;
  }

  request(path, { method = "GET", headers = {}, body } = {}) {
    return new Promise((done, failed) => {
      const r = http.request({ host: "127.0.0.1", port: this.port, path, method, headers, timeout: WAIT }, (answer) => {
        let text = "";
        answer.on("data", (d) => { text += d; });
        answer.on("end", () => done({ status: answer.statusCode, headers: answer.headers, text }));
      });
      r.on("error", failed);
      r.end(body);
    });
  }

  /** Uses the address, as a browser does: the key of the socket. */
  async key() {
    const page = await this.request(`/?token=${this.token}`);
    return /\{"live":"([0-9a-f]{32})"\}/.exec(page.text)[1];
  }

  /** Opens the socket. Returns the HTTP status if it is refused. */
  connect(key, { origin = `http://${this.host}`, host = this.host, path = "/socket" } = {}) {
    const socket = net.connect(this.port, "127.0.0.1");
    const lines = [`GET ${path}?key=${key} HTTP/1.1`, `Host: ${host}`, "Upgrade: websocket", "Connection: Upgrade",
                   `Sec-WebSocket-Key: ${crypto.randomBytes(16).toString("base64")}`, "Sec-WebSocket-Version: 13"];
    if (origin) lines.push(`Origin: ${origin}`);
    socket.write(lines.join("\r\n") + "\r\n\r\n");
    return new Promise((done, failed) => {
      let bytes = Buffer.alloc(0);
      const first = (d) => {
        bytes = Buffer.concat([bytes, d]);
        const end = bytes.indexOf("\r\n\r\n");
        if (end < 0) return;
        socket.off("data", first);
        const status = Number(/^HTTP\/1\.. (\d+)/.exec(bytes.toString("latin1"))[1]);
        if (status === 101) return done(new Socket(this, socket, bytes.subarray(end + 4)));
        socket.destroy();
        done(status);
      };
      socket.on("data", first);
      socket.on("error", failed);
      socket.on("close", () => done(0));
    });
  }
}

class Socket {
  constructor(tool, socket, rest) {
    this.tool = tool;
    this.socket = socket;
    this.texts = [];
    this.rows = [];
    this.events = [];
    this.columns = [];
    this.closed = null;
    this.buffer = rest;
    this.watchers = new Set();
    socket.on("data", (d) => {
      this.buffer = Buffer.concat([this.buffer, d]);
      this.read();
    });
    socket.on("close", () => { this.closed ??= 1006; this.wake(); });
    socket.on("error", () => {});
    this.read();
  }

  wake() { for (const f of [...this.watchers]) f(); }

  /** Waits until the test holds; returns what it returned. */
  until(test, what) {
    return new Promise((done, failed) => {
      const timer = setTimeout(() => failed(new Error(`waited in vain for ${what}; ${this.tool.errors}`)), WAIT);
      const look = () => {
        const value = test();
        if (!value) return;
        clearTimeout(timer);
        this.watchers.delete(look);
        done(value);
      };
      this.watchers.add(look);
      look();
    });
  }

  read() {
    for (;;) {
      const b = this.buffer;
      if (b.length < 2) break;
      let n = b[1] & 127, at = 2;
      if (n === 126) { if (b.length < 4) break; n = b.readUInt16BE(2); at = 4; }
      else if (n === 127) { if (b.length < 10) break; n = Number(b.readBigUInt64BE(2)); at = 10; }
      if (b.length < at + n) break;
      this.buffer = b.subarray(at + n);
      this.take(b[0] & 15, b.subarray(at, at + n));
    }
    this.wake();
  }

  take(kind, data) {
    if (kind === 1) this.text(JSON.parse(data.toString()));
    else if (kind === 2) this.frame(data);
    else if (kind === 8) this.closed = data.length >= 2 ? data.readUInt16BE(0) : 1005;
    else if (kind === 9) this.raw(10, data);
  }

  text(m) {
    this.texts.push(m);
    if (m.hello) this.hello = m.hello;
    if (m.status) this.status = m.status;
  }

  frame(d) {
    const rows = d.readUInt32LE(8), picture = d.readUInt32LE(16);
    let at = 20;
    for (let i = 0; i < rows; i++) {
      const columns = d.readUInt32LE(at + 8), touches = d.readUInt32LE(at + 12), values = [];
      for (let k = 0; k < columns + picture; k++) values.push(d.readFloatLE(at + 16 + 4 * k));
      this.rows.push({ t: d.readDoubleLE(at), values, columns, touches });
      at += 16 + 4 * (columns + picture + 22 * touches);
    }
    for (let i = 0; i < d.readUInt32LE(12); i++, at += 56) {
      this.events.push({ t: d.readDoubleLE(at), contact: d.readFloatLE(at + 8), kind: d.readFloatLE(at + 12) });
    }
    this.frames = (this.frames ?? 0) + 1;
    this.bytes = (this.bytes ?? 0) + d.length;
    if (!this.mute) this.send({ do: "ack", number: d.readUInt32LE(4) });
  }

  /** A coordinate, a velocity ("u_x") or an energy of a row. */
  value(row, name) {
    const h = this.hello, energies = ["kinetic", "potential", "work_forces", "work_drive", "loss_normal", "loss_friction"];
    const names = [...h.coordinates, ...h.velocities.map((v) => `u_${v}`), ...energies];
    return row.values[names.indexOf(name)];
  }

  raw(kind, data, { final = true, masked = true, reserved = 0 } = {}) {
    const mask = crypto.randomBytes(4), head = [(final ? 128 : 0) | reserved | kind];
    const flag = masked ? 128 : 0;
    if (data.length < 126) head.push(flag | data.length);
    else if (data.length < 65536) head.push(flag | 126, data.length >> 8, data.length & 255);
    else head.push(flag | 127, 0, 0, 0, 0, ...[24, 16, 8, 0].map((s) => (data.length >> s) & 255));
    const body = Buffer.from(data);
    if (masked) for (let i = 0; i < body.length; i++) body[i] ^= mask[i & 3];
    this.socket.write(Buffer.concat([Buffer.from(head), masked ? mask : Buffer.alloc(0), body]));
  }

  send(message) { this.raw(1, Buffer.from(typeof message === "string" ? message : JSON.stringify(message))); }

  /** Sends a message and waits for its answer: null, or the error. */
  async ask(message) {
    const id = (this.asked = (this.asked ?? 0) + 1);
    this.send({ ...message, id });
    const answer = await this.until(() => this.texts.find((m) => m.id === id), `an answer to ${JSON.stringify(message)}`);
    return answer.error ?? null;
  }

  /** Rows that come from now on, n of them. */
  async next(n, what = "rows") {
    const from = this.rows.length;
    await this.until(() => this.rows.length >= from + n, what);
    return this.rows.slice(from);
  }

  end() { this.socket.destroy(); }
}

/** A text as a frame. */
const masked = (data) => {
  const mask = crypto.randomBytes(4);
  const body = Buffer.from(data.map((byte, i) => byte ^ mask[i & 3]));
  return Buffer.concat([Buffer.from([0x81, 0x80 | data.length]), mask, body]);
};

module.exports = { masked, Tool, Socket, WAIT };
