// A simulation that runs in the tool: the socket, and the last rows and events of the run as the panels know it.
// cli/view_frame.c says what frames are made of; cli/view_command.c what can be asked for.
import { meshesOf, type Column, type Contact, type Events, type Geom, type Link, type Numbers, type Run, type Shape, type Source, type Touch } from "./data";

export interface Parameter { path: string; value: string }
export interface Settings { integrator: string; solver: string; impact: string; project: string; dt: number; tol: number }
export interface Choices { integrator: string[]; solver: string[]; impact: string[]; project: string[] }

export interface Status {
  running: boolean;
  speed: number;
  pace: number;
  t: number;
  step: number;
  why: string;
  note: string;
  dragging: boolean;
  recording: boolean;
  record: string;
  rows: number;
  counts: Record<string, number | null>;
}

interface Hello {
  name: string; description: string; source: string; text: string; version: string;
  coordinates: string[]; velocities: string[]; units: string[]; velocity_units: string[];
  contacts: Contact[]; parameters: Parameter[]; settings: Settings; choices: Choices; energy: boolean; listed: boolean;
  drawing?: { shapes: Shape[] }; constants?: (number | null)[];
  scene?: { geoms: Geom[]; bodies: string[]; links?: Link[] } & Record<string, unknown>;
  most_contacts: number;
}

const MAGIC = 0x31465353, PER_CONTACT = 11, PER_TOUCH = 22, ROOM = 12e6;  // ROOM: numbers that are kept at most
const ENERGIES = ["kinetic", "potential", "work_forces", "work_drive", "loss_normal", "loss_friction", "work_projection", "defect"];

/** Numbers that are added at the end; when there is no more room the older half goes. */
class Ring<T extends Float32Array | Float64Array> {
  values: T;
  constructor(private buffer: T) { this.values = buffer.subarray(0, 0) as T; }

  set(row: number, value: number): void { this.buffer[row] = value; }
  show(rows: number): void { this.values = this.buffer.subarray(0, rows) as T; }
  drop(n: number): void { this.buffer.copyWithin(0, n); }
  fill(value: number, rows: number): void { this.buffer.fill(value, 0, rows); }
}

/** Contact points of the rows, one behind the other, as many as there are. */
class Touches {
  private parts = Array.from({ length: PER_TOUCH }, () => new Float32Array(1024));
  private n = 0;

  add(data: Float32Array): void {
    const count = data.length / PER_TOUCH;
    if (this.n + count > this.parts[0].length) {
      this.parts = this.parts.map((old) => {
        const more = new Float32Array(2 * (this.n + count));
        more.set(old.subarray(0, this.n));
        return more;
      });
    }
    for (let i = 0; i < count; i++) {
      for (let k = 0; k < PER_TOUCH; k++) this.parts[k][this.n + i] = data[PER_TOUCH * i + k];
    }
    this.n += count;
  }

  get count(): number { return this.n; }
  drop(n: number): void {
    for (const p of this.parts) p.copyWithin(0, n, this.n);
    this.n -= n;
  }

  show(touch: Touch, end: Numbers): void {
    const [contact, state, gap, x, y, z, fx, fy, fz, nx, ny, nz, L0, L1, L2, g0, g1, g2, F0, F1, F2] = this.parts.map((p) => p.subarray(0, this.n));
    Object.assign(touch, { n: this.n, end, contact, state, gap, x, y, z, fx, fy, fz, nx, ny, nz, L: [L0, L1, L2], g: [g0, g1, g2],
                           F: [F0, F1, F2] });
  }
}

const EVENT_PARTS = ["contact", "kind", "state", "before", "gamma_N_before", "gamma_N_after", "gamma_T_before", "gamma_T_after",
                     "Lambda_N", "Lambda_T", "energy_before", "energy_after"] as const;

class EventRing {
  private t = new Float64Array(4096);
  private parts = EVENT_PARTS.map(() => new Float32Array(4096));
  private n = 0;

  add(t: number, part: (k: number) => number): void {
    if (this.n === this.t.length) {
      const half = this.n >> 1;
      for (const a of [this.t, ...this.parts]) a.copyWithin(0, half);
      this.n -= half;
    }
    this.t[this.n] = t;
    this.parts.forEach((p, k) => { p[this.n] = part(k); });
    this.n++;
  }

  clear(): void { this.n = 0; }

  show(events: Events): void {
    events.n = this.n;
    events.t = this.t.subarray(0, this.n);
    EVENT_PARTS.forEach((name, k) => { events[name] = this.parts[k].subarray(0, this.n); });
  }
}

function emptyEvents(): Events {
  const none = new Float32Array(0), e: Partial<Events> = { n: 0, t: new Float64Array(0) };
  for (const name of EVENT_PARTS) e[name] = none;
  return e as Events;
}

// The columns of a contact, by their place among its numbers
function contactColumns(c: Contact): [string, string, number][] {
  const planar: [string, string, number][] = [["gamma_T", "m/s", 3], ["Lambda_T", "N s", 6], ["F_T", "N", 9]];
  const spatial: [string, string, number][] = [["gamma_T1", "m/s", 3], ["gamma_T2", "m/s", 4], ["Lambda_T1", "N s", 6], ["Lambda_T2", "N s", 7],
                                               ["F_T1", "N", 9], ["F_T2", "N", 10]];
  const normal: [string, string, number][] = [["gap", "m", 0], ["gamma_N", "m/s", 2], ["Lambda_N", "N s", 5], ["F_N", "N", 8]];
  const rest = c.kind === "planar" ? [...normal, ...planar] : c.kind === "spatial" ? [...normal, ...spatial]
    : c.kind === "friction" ? planar : normal;
  return [["state", "", 1], ...rest];
}

export class Live implements Source {
  readonly live = true;
  run!: Run;
  parameters: Parameter[] = [];
  settings!: Settings;
  choices!: Choices;
  status!: Status;
  /** Why there is no connection any more; "" while there is one. */
  gone = "";
  private socket!: WebSocket;
  private n = 0;  // rows that have come; those of the run are the ones that are shown
  private capacity = 0;
  private time!: Ring<Float64Array>;
  private end!: Ring<Float64Array>;
  private columns: Ring<Float32Array>[] = [];      // as in frames
  private picture: Ring<Float32Array>[] = [];      // values of the drawing, or poses; constants too
  private moving: number[] = [];                   // which of them come with rows
  private constants: (number | null)[] = [];
  private touches = new Touches();
  private events = new EventRing();
  private columnOf: [Column, number][] = [];       // columns of the run, and their place in frames
  private changed: () => void = () => {};
  private told: (() => void)[] = [];
  private waiting = new Map<number, (error: string | null) => void>();
  private asked = 0;
  private drawn = 0;
  private pending = false;
  private ready: () => void = () => {};
  /** Frames that have come, and when the last one did: for those who measure. */
  frames = 0;
  private fixed = 0;  // columns before those of contacts
  private most = 0;   // contacts that have columns

  constructor(private key: string) {}

  subscribe(changed: () => void): void { this.changed = changed; }
  /** Called when status, settings or parameters have changed. */
  listen(f: () => void): void { this.told.push(f); }
  private tell(): void { for (const f of this.told) f(); }

  /** Resolves when the first frame is there. */
  connect(): Promise<void> {
    return new Promise((done, failed) => {
      this.socket = new WebSocket(`ws://${location.host}/socket?key=${encodeURIComponent(this.key)}`);
      this.socket.binaryType = "arraybuffer";
      this.socket.onmessage = (m) => {
        if (typeof m.data === "string") this.text(JSON.parse(m.data));
        else this.frame(m.data as ArrayBuffer);
      };
      this.ready = done;
      this.socket.onclose = (e) => {
        this.gone = e.code === 1008 ? "Another page shows this simulation now." : "The simulation has ended.";
        for (const f of this.waiting.values()) f(this.gone);
        failed(new Error("there is no connection to the simulation"));
        this.tell();
      };
    });
  }

  send(message: Record<string, unknown>): void {
    if (this.socket.readyState === WebSocket.OPEN) this.socket.send(JSON.stringify(message));
  }

  /** Sends a message; resolves to null, or to what was wrong with it. */
  ask(message: Record<string, unknown>): Promise<string | null> {
    const id = ++this.asked;
    if (this.gone) return Promise.resolve(this.gone);
    return new Promise((done) => {
      this.waiting.set(id, (error) => {
        this.waiting.delete(id);
        done(error);
      });
      this.send({ ...message, id });
    });
  }

  // ---- words ----

  private text(m: Record<string, never>): void {
    if (m.hello) this.hello(m.hello);
    else if (m.status) {
      this.status = m.status;
      if (this.run) this.run.counts = this.status.counts;
      if (this.run?.t.length) this.ready();
    } else if (m.model) this.model(m.model);
    else if (m.contacts) this.addContacts(m.contacts, m.from);
    else if (m.reset) this.clear();
    else if (m.reload) location.reload();
    else if (m.saved) this.notice(`Saved ${m.saved as string}`);
    else if (m.id !== undefined) this.waiting.get(m.id)?.((m.error as string | undefined) ?? null);
    else if (m.error) this.notice(m.error);
    this.tell();
  }

  /** The latest messages for people, newest first. */
  notices: string[] = [];
  notice(text: string): void {
    this.notices = [text, ...this.notices].slice(0, 6);
    this.tell();
  }

  private hello(h: Hello): void {
    const columns: Column[] = [];
    const add = (name: string, unit: string) => columns.push({ name, unit: unit === "1" ? "" : unit, values: new Float32Array(0) });
    h.coordinates.forEach((name, i) => add(name, h.units[i]));
    h.velocities.forEach((name, i) => add(`u_${name}`, h.velocity_units[i]));
    for (const name of ENERGIES) add(`energy.${name}`, "J");
    add("residual", "");
    add("iterations", "");
    this.fixed = columns.length;
    this.n = 0;
    const bodies = h.scene?.bodies.length ?? 0, values = h.constants?.length ?? 0;
    this.capacity = Math.round(Math.min(8192, Math.max(256, ROOM / (this.fixed + 7 * bodies + values + 200))));
    this.time = new Ring(new Float64Array(this.capacity));
    this.end = new Ring(new Float64Array(this.capacity));
    this.columns = columns.map(() => this.ring());
    this.picture = Array.from({ length: bodies ? 7 * bodies : values }, () => this.ring());
    this.columnOf = columns.map((c, i) => [c, i]);
    const shown = h.energy ? columns : columns.filter((c) => !c.name.startsWith("energy."));
    this.run = {
      name: h.name, description: h.description, source: h.source, text: h.text, file: "", version: h.version, status: "live",
      rows: 0, rowsTotal: 0, initial: 0, dt: h.settings.dt, tol: h.settings.tol, notes: [], info: [], settings: [], counts: {},
      coordinates: h.coordinates, velocities: h.velocities, contacts: [], columns: shown, t: this.time.values,
      events: emptyEvents(),
      drawing: h.drawing ? { shapes: h.drawing.shapes, values: this.picture.map((r) => r.values) } : null,
      touch: h.listed && !h.scene ? { n: 0 } as unknown as Touch : null,
      space: h.scene ? { bodies: h.scene.bodies, geoms: h.scene.geoms, meshes: meshesOf(h.scene), links: h.scene.links ?? [],
                         poses: h.scene.bodies.map(() => []), touch: { n: 0 } as unknown as Touch } : null,
    };
    this.choices = h.choices;
    this.most = h.most_contacts;
    this.model(h as never);
  }

  private ring(): Ring<Float32Array> { return new Ring(new Float32Array(this.capacity)); }

  private model(m: { contacts: Contact[]; parameters: Parameter[]; settings: Settings; constants?: (number | null)[] }): void {
    this.parameters = m.parameters;
    this.settings = m.settings;
    this.run.dt = m.settings.dt;
    this.run.tol = m.settings.tol;
    this.constants = m.constants ?? [];
    if (this.run.drawing) this.run.drawing.constant = this.constants.map((c) => c !== null);
    this.moving = this.run.space ? this.picture.map((_, i) => i)
      : this.constants.map((c, i) => (c === null ? i : -1)).filter((i) => i >= 0);
    m.contacts.forEach((c, i) => {
      if (i < this.run.contacts.length) Object.assign(this.run.contacts[i], c);
    });
    this.addContacts(m.contacts.slice(this.run.contacts.length), this.run.contacts.length);
  }

  private addContacts(list: Contact[], from: number): void {
    if (from !== this.run.contacts.length) return;
    for (const c of list) {
      this.run.contacts.push(c);
      if (this.run.contacts.length > this.most) continue;
      const base = this.columns.length;
      for (let k = 0; k < PER_CONTACT; k++) {
        const r = this.ring();
        r.fill(k ? 0 : NaN, this.n);
        r.show(this.run.rows);
        this.columns.push(r);
      }
      for (const [name, unit, k] of contactColumns(c)) {
        const column = { name: `${name}.${c.name}`, unit, values: this.columns[base + k].values };
        this.run.columns.push(column);
        this.columnOf.push([column, base + k]);
      }
    }
  }

  private clear(): void {
    this.n = 0;
    this.touches.drop(this.touches.count);
    this.events.clear();
  }

  // ---- frames ----

  private makeRoom(): void {
    if (this.n < this.capacity) return;
    const half = this.capacity >> 1, gone = this.end.values[half - 1];
    this.touches.drop(gone);
    for (const r of [this.time, this.end, ...this.columns, ...this.picture]) r.drop(half);
    for (let i = 0; i < this.capacity - half; i++) this.end.set(i, this.end.values[i] - gone);
    this.n -= half;
  }

  private row(view: DataView, at: number, picture: number): number {
    this.makeRoom();
    const i = this.n, columns = view.getUint32(at + 8, true), touches = view.getUint32(at + 12, true);
    this.time.set(i, view.getFloat64(at, true));
    const numbers = new Float32Array(view.buffer, at + 16, columns + picture + PER_TOUCH * touches);
    for (let k = 0; k < this.columns.length; k++) {
      this.columns[k].set(i, k < columns ? numbers[k] : k % PER_CONTACT === this.fixed % PER_CONTACT ? NaN : 0);
    }
    this.constants.forEach((c, k) => { if (c !== null) this.picture[k]?.set(i, c); });
    for (let k = 0; k < picture && k < this.moving.length; k++) this.picture[this.moving[k]].set(i, numbers[columns + k]);
    const touched = numbers.subarray(columns + picture);
    for (let k = 0; k < touched.length; k += PER_TOUCH) {
      const c = this.run.contacts[touched[k]];
      if (c) c.mu = touched[k + PER_TOUCH - 1];
    }
    this.touches.add(touched);
    this.end.set(i, this.touches.count);
    this.n++;
    this.end.show(this.n);
    return at + 16 + 4 * numbers.length;
  }

  private frame(data: ArrayBuffer): void {
    const view = new DataView(data), u32 = (i: number) => view.getUint32(4 * i, true);
    if (data.byteLength < 20 || u32(0) !== MAGIC) return;
    let at = 20;
    for (let i = 0; i < u32(2); i++) at = this.row(view, at, u32(4));
    for (let i = 0; i < u32(3); i++, at += 56) {
      this.events.add(view.getFloat64(at, true), (k) => view.getFloat32(at + 8 + 4 * k, true));
    }
    this.frames++;
    this.drawn = u32(1);
    if (this.pending) return;
    this.pending = true;
    requestAnimationFrame(() => this.show());
    setTimeout(() => this.show(), 200);  // where nothing is painted: hidden tabs
  }

  // What was shown is acknowledged: the tool sends no more than we can show
  private show(): void {
    if (!this.pending) return;
    this.pending = false;
    const run = this.run, n = this.n;
    run.rows = n;
    for (const r of [this.time, this.end, ...this.columns, ...this.picture]) r.show(n);
    run.t = this.time.values;
    for (const [c, k] of this.columnOf) c.values = this.columns[k].values;
    if (run.drawing) run.drawing.values = this.picture.map((r) => r.values);
    if (run.space) {
      run.space.poses.forEach((_, b) => {
        run.space!.poses[b] = this.picture.slice(7 * b, 7 * b + 7).map((r) => r.values);
      });
    }
    const touch = run.space?.touch ?? run.touch;
    if (touch) this.touches.show(touch, this.end.values);
    this.events.show(run.events);
    this.changed();
    this.send({ do: "ack", number: this.drawn });
    if (this.status) this.ready();
  }
}

const STORE = "stickslip-key";

/** The key of the socket: from the page itself, or, when it is loaded anew, from this tab's memory. */
export function keyOf(fromPage: string): string {
  try {
    if (fromPage) sessionStorage.setItem(STORE, fromPage);
    if (location.search.includes("token=")) history.replaceState(null, "", location.pathname);
    return fromPage || (sessionStorage.getItem(STORE) ?? "");
  } catch {
    return fromPage;
  }
}
