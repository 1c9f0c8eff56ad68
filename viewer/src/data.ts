// A run as the viewer sees it: columns of numbers, events, names. The tool writes it (cli/page.c); no physics here.
// A live run grows: its source then puts new arrays into the same objects. Who shows something keeps the run, a column or
// the events, and looks up the arrays when it draws.

export type Numbers = Float64Array | Float32Array | Uint8Array;

/** Numbers as they are stored: one for all rows, or base64 of little-endian numbers. */
export interface Packed {
  constant?: number | null;
  type?: "f64" | "f32" | "u8" | "u16";  // u16: steps above the lowest value, 65535 for none
  low?: number;
  step?: number;
  data?: string;
}

export interface Column {
  name: string;
  unit: string;
  values: Numbers;
}

export interface Contact {
  name: string;
  kind: string;
  mu?: number;
  bound?: number;
  eps_n?: number;
  eps_t?: number;
}

export interface Events {
  n: number;
  t: Numbers;
  contact: Numbers;
  kind: Numbers;
  state: Numbers;
  before: Numbers;
  gamma_N_before: Numbers;
  gamma_N_after: Numbers;
  gamma_T_before: Numbers;
  gamma_T_after: Numbers;
  Lambda_N: Numbers;
  Lambda_T: Numbers;
  energy_before: Numbers;
  energy_after: Numbers;
  total?: number;  // of all events of this time, if there are more than are listed
  marks?: Marks;   // then of all of them how many there are in short spans of time
}

/** For each kind, how many events are in each of n equal spans (255: or more). */
export interface Marks {
  n: number;
  from: number;
  to: number;
  counts: Numbers[];
}

/** A plane shape; its numbers, and those of its frame, are indices into the values of the drawing. */
export interface Shape {
  name: string;
  kind: "line" | "polygon" | "circle" | "spring" | "ground" | "text" | "contact" | "view";
  label?: string;
  fill?: string;
  stroke?: string;
  width?: number;
  contact?: number;
  frame?: number[];
  numbers: number[];
}

export interface Drawing {
  shapes: Shape[];
  values: Numbers[];
  constant?: boolean[];  // live: those that the motion does not change
}

/** A shape of a scene, fixed to a body (-1: the world). Sizes as in MJCF files; quaternions w first. */
export interface Geom {
  name: string;
  body: number;
  shape: string;
  size: number[];
  position: number[];
  rotation: number[];
  mesh?: number;
}

/** Without faces: the convex hull of the vertices. */
export interface Mesh {
  vertices: Numbers;
  faces: Numbers;
}

/** A rod in the frame of a body, from joint to joint. */
export interface Link {
  body: number;
  from: number[];
  to: number[];
}

/** The contacts of row i are the entries end[i-1] to before end[i]. f is the impulse on the second body, n the normal, in
 *  the world; L, g and F are impulse, relative velocity and force in the frame of the contact. Pages of large scenes lack
 *  these. */
export interface Touch {
  n: number;
  end: Numbers;
  contact: Numbers;
  state: Numbers;
  x: Numbers; y: Numbers; z: Numbers;
  fx: Numbers; fy: Numbers; fz: Numbers;
  nx: Numbers; ny: Numbers; nz: Numbers;
  L?: Numbers[];
  g?: Numbers[];
  F?: Numbers[];
  gap?: Numbers;
}

export interface Space {
  bodies: string[];
  geoms: Geom[];
  meshes: Mesh[];
  links: Link[];
  poses: Numbers[][];  // for each body x, y, z and its quaternion, row by row
  touch: Touch;
}

export interface Run {
  name: string;
  description: string;
  source: string;
  text: string;
  file: string;
  version: string;
  status: string;
  rows: number;
  rowsTotal: number;
  initial?: number;  // the time of the row before the first step, if there is one: nothing is known of its contacts
  dt: number;
  tol: number;
  notes: string[];  // warnings
  info: string[];
  settings: [string, string][];
  counts: Record<string, number | null>;
  coordinates: string[];
  velocities: string[];
  contacts: Contact[];
  columns: Column[];
  t: Numbers;
  events: Events;
  drawing: Drawing | null;
  space: Space | null;
  touch?: Touch | null;  // contacts of a plane drawing that come and go
}

/** Where a run comes from. A replay has all of it at once; a live source calls back when arrays have changed. */
export interface Source {
  readonly run: Run;
  readonly live: boolean;
  subscribe(changed: () => void): void;
}

export const STATES = ["open", "stick", "slip+", "slip−", "closed", "slip"];
export const KINDS = ["impact", "detach", "stick", "slip", "accumulation", "pass"];

function bytesOf(text: string): Uint8Array {
  const raw = atob(text);
  const bytes = new Uint8Array(raw.length);
  for (let i = 0; i < raw.length; i++) bytes[i] = raw.charCodeAt(i);
  return bytes;
}

function numbersOf(p: Packed & { data: string }): Numbers {
  const bytes = bytesOf(p.data);
  if (p.type === "u8") return bytes;
  if (p.type === "u16") {
    const low = p.low ?? 0, step = p.step ?? 1;
    return Float32Array.from(new Uint16Array(bytes.buffer), (k) => (k === 65535 ? NaN : low + k * step));
  }
  return p.type === "f64" ? new Float64Array(bytes.buffer) : new Float32Array(bytes.buffer);
}

/** The n numbers that are stored; an error if there are more or fewer. */
export function unpack(p: Packed | undefined, n: number): Numbers {
  if (!p || p.data === undefined) return new Float64Array(n).fill(p?.constant ?? NaN);
  const values = numbersOf(p as Packed & { data: string });
  if (values.length !== n) throw new Error(`${values.length} numbers stand where ${n} should`);
  return values;
}

function eventsOf(raw: Record<string, unknown> | undefined): Events {
  const n = Number(raw?.n ?? 0);
  const get = (name: string) => unpack(raw?.[name] as Packed | undefined, n);
  return {
    n, t: get("t"), contact: get("contact"), kind: get("kind"), state: get("state"), before: get("before"),
    gamma_N_before: get("gamma_N_before"), gamma_N_after: get("gamma_N_after"),
    gamma_T_before: get("gamma_T_before"), gamma_T_after: get("gamma_T_after"),
    Lambda_N: get("Lambda_N"), Lambda_T: get("Lambda_T"),
    energy_before: get("energy_before"), energy_after: get("energy_after"),
    total: raw?.total as number | undefined, marks: marksOf(raw?.marks as Record<string, unknown> | undefined),
  };
}

function marksOf(raw: Record<string, unknown> | undefined): Marks | undefined {
  if (!raw) return undefined;
  const n = Number(raw.n);
  return { n, from: Number(raw.from), to: Number(raw.to), counts: (raw.counts as Packed[]).map((p) => unpack(p, n)) };
}

/** Meshes as they are stored. */
export function meshesOf(raw: Record<string, unknown>): Mesh[] {
  const meshes = (raw.meshes ?? []) as { n_vertex: number; n_face: number; vertices: Packed; faces: Packed }[];
  return meshes.map((m) => ({ vertices: unpack(m.vertices, 3 * m.n_vertex), faces: unpack(m.faces, 3 * m.n_face) }));
}

function touchOf(t: Record<string, unknown>, rows: number): Touch {
  const n = Number(t.n);
  const get = (name: string) => unpack(t[name] as Packed | undefined, n);
  const detail = (names: string[]) => (t[names[0]] ? names.map(get) : undefined);
  return {
    n, end: unpack(t.end as Packed | undefined, rows), contact: get("contact"), state: get("state"),
    x: get("x"), y: get("y"), z: get("z"), fx: get("fx"), fy: get("fy"), fz: get("fz"),
    nx: get("nx"), ny: get("ny"), nz: get("nz"), L: detail(["L0", "L1", "L2"]), g: detail(["g0", "g1", "g2"]),
    F: detail(["F0", "F1", "F2"]),
    gap: detail(["gap"])?.[0],
  };
}

function spaceOf(raw: Record<string, unknown> | undefined, rows: number): Space | null {
  if (!raw) return null;
  return {
    bodies: raw.bodies as string[], geoms: raw.geoms as Geom[], links: (raw.links ?? []) as Link[],
    meshes: meshesOf(raw),
    poses: (raw.poses as Packed[][]).map((p) => p.map((v) => unpack(v, rows))),
    touch: touchOf(raw.touch as Record<string, unknown>, rows),
  };
}

/** Reads the data block of the page. */
export function readRun(text: string): Run {
  const raw = JSON.parse(text);
  if (raw?.format !== 1) throw new Error(`the format ${String(raw?.format)} is not known`);
  const n: number = raw.rows;
  const columns: Column[] = raw.columns.map((c: Packed & { name: string; unit: string }) => ({
    name: c.name, unit: c.unit === "1" ? "" : c.unit, values: unpack(c, n),
  }));
  const t = columns.find((c) => c.name === "t");
  if (!t) throw new Error("the run has no times");
  return {
    name: raw.name, description: raw.description, source: raw.source, text: raw.text, file: raw.file,
    version: raw.version, status: raw.status, rows: n, rowsTotal: raw.rows_total,
    initial: raw.initial ? t.values[0] : undefined, dt: raw.dt, tol: raw.tol,
    notes: raw.notes, info: raw.info ?? [], settings: raw.settings, counts: raw.counts, coordinates: raw.coordinates,
    velocities: raw.velocities, contacts: raw.contacts, columns, t: t.values, events: eventsOf(raw.events),
    drawing: raw.drawing
      ? { shapes: raw.drawing.shapes, values: raw.drawing.values.map((v: Packed) => unpack(v, n)) }
      : null,
    space: spaceOf(raw.scene, n),
    touch: raw.touch ? touchOf(raw.touch, n) : null,
  };
}

export class Replay implements Source {
  readonly live = false;
  constructor(readonly run: Run) {}
  subscribe(): void {}
}

export function column(run: Run, name: string): Column | undefined {
  return run.columns.find((c) => c.name === name);
}

/** The value of a column in a row, if there is such a column. */
export function valueAt(c: Column | undefined, row: number): number | undefined {
  return c?.values[row];
}

/** Whether a row is that before the first step: gaps are known there, velocities and impulses of contacts are not. */
export function isInitial(run: Run, row: number): boolean {
  return run.initial !== undefined && run.t[row] === run.initial;
}

/** The last index with values[i] <= x, at least 0. */
export function indexAt(values: Numbers, x: number): number {
  let low = 0, high = values.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (values[middle] <= x) low = middle + 1;
    else high = middle;
  }
  return Math.max(0, low - 1);
}
