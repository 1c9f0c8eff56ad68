// Plane pictures: the shapes of a drawing at an instant, contacts coloured by their state, impulses as arrows.
import { pairOf } from "./closed";
import { column, valueAt, type Column, type Drawing, type Run, type Shape } from "./data";
import { niceStep, plain, tick } from "./format";
import type { Grabber, Hit } from "./livedrag";
import { isShown, onParts } from "./parts";
import type { Player } from "./player";
import { trailSpan } from "./trails";
import { colour, onTheme, palette, sharp } from "./theme";
import { isPlain, wishedNumber } from "./wishes";

interface Box { x0: number; y0: number; x1: number; y1: number }
interface Arrows { N?: Column; T?: Column; state?: Column; mu: number }

const FLASH = 260;  // ms that an impact stays visible
const CONE = 46;    // px, where there is room
const ROOM = 75;    // px, the size of a body that marks of full size need

// Pairs of numbers of a drawing that move: the places of its frames, and of circles that have none
function waysOf(d: Drawing): [number, number][] {
  const moves = (k: number) => d.values[k].some((v) => v !== d.values[k][0]);
  const found = new Map<string, [number, number]>();
  for (const s of d.shapes) {
    const pair = s.frame ?? (s.kind === "circle" ? s.numbers : null);
    if (pair && (moves(pair[0]) || moves(pair[1]))) found.set(`${pair[0]} ${pair[1]}`, [pair[0], pair[1]]);
  }
  return [...found.values()].slice(0, 30);
}

/** How large the bodies of a drawing are, by name: the side of a square as large as the box around the outline. */
function sizesOf(d: Drawing, row: number): Map<string, number> {
  const sizes = new Map<string, number>();
  for (const s of d.shapes) {
    const v = s.numbers.map((k) => d.values[k][row]);
    let size = 0;
    if (s.kind === "circle") size = 2 * v[2];
    else if (s.kind === "polygon") {
      const b = [Infinity, -Infinity, Infinity, -Infinity];
      v.forEach((x, k) => {
        const at = k % 2 ? 2 : 0;
        b[at] = Math.min(b[at], x);
        b[at + 1] = Math.max(b[at + 1], x);
      });
      size = Math.sqrt((b[1] - b[0]) * (b[3] - b[2]));
    }
    if (size > 0) sizes.set(s.name, Math.max(size, sizes.get(s.name) ?? 0));
  }
  return sizes;
}

export class PlaneScene {
  readonly canvas = document.createElement("canvas");
  /** If there is one, shapes can be dragged. */
  grabber: Grabber | null = null;
  private held: { hit: Hit; to: [number, number] } | null = null;
  private zoom = 1;
  private shift: [number, number] = [0, 0];
  private fixed: Box | null = null;
  private ways: [number, number][] | null = null;
  private arrows: Arrows[];
  private largest = 0;
  private flash: number[] = [];
  private shownT: number;
  private scale = 1;
  private room = 1;  // marks of contacts are smaller in small pictures
  private sizes = new Map<string, number>();
  private origin: [number, number] = [0, 0];
  private frameRequested = false;

  constructor(private run: Run, private player: Player) {
    this.shownT = player.t;
    this.arrows = run.contacts.map((c) => ({
      N: column(run, `Lambda_N.${c.name}`), T: column(run, `Lambda_T.${c.name}`),
      state: column(run, `state.${c.name}`), mu: c.mu ?? 0,
    }));
    this.measure();
    this.canvas.className = "scene";
    this.canvas.setAttribute("role", "img");
    this.canvas.setAttribute("aria-label", `Drawing of ${run.name}; wheel to zoom, drag to move, double click to reset`);
    this.handleMouse();
    player.listen(() => this.request());
    player.listenData(() => {
      this.measure();
      this.fixed = null;
      if (!this.ways?.length) this.ways = null;
    });
    onTheme(() => this.request());
    onParts(() => this.request());
    new ResizeObserver(() => this.request()).observe(this.canvas);
  }

  request(): void {
    if (this.frameRequested) return;
    this.frameRequested = true;
    requestAnimationFrame(() => {
      this.frameRequested = false;
      this.draw();
    });
  }

  // ---- numbers ----

  private measure(): void {
    for (const a of this.arrows) {
      for (const v of a.N?.values ?? []) this.largest = Math.max(this.largest, Math.abs(v) || 0);
      for (const v of a.T?.values ?? []) this.largest = Math.max(this.largest, Math.abs(v) || 0);
    }
    const t = this.run.touch;
    for (let k = 0; t && k < t.n; k++) this.largest = Math.max(this.largest, Math.hypot(t.fx[k], t.fy[k]) || 0);
  }

  // Of the drawing at the time that is shown, between two rows. Over an event nothing is smoothed but positions.
  private value(d: Drawing, k: number): number {
    const v = d.values[k], i = this.player.row, f = this.player.fraction;
    return f > 0 && i + 1 < this.run.rows ? v[i] + f * (v[i + 1] - v[i]) : v[i];
  }

  private point(d: Drawing, s: Shape, x: number, y: number, direction = false): [number, number] {
    if (!s.frame) return [x, y];
    const [fx, fy, a] = s.frame.map((k) => this.value(d, k));
    const c = Math.cos(a), n = Math.sin(a);
    return [(direction ? 0 : fx) + c * x - n * y, (direction ? 0 : fy) + n * x + c * y];
  }

  private points(d: Drawing, s: Shape, first = 0, direction = false): [number, number][] {
    const out: [number, number][] = [];
    for (let i = first; i + 1 < s.numbers.length; i += 2) {
      out.push(this.point(d, s, this.value(d, s.numbers[i]), this.value(d, s.numbers[i + 1]), direction));
    }
    return out;
  }

  // What the picture shows: the view of the drawing, or everything that it ever reaches
  private box(d: Drawing): Box {
    const view = d.shapes.find((s) => s.kind === "view");
    if (view) {
      const [x0, y0, x1, y1] = view.numbers.map((k) => this.value(d, k));
      if (x1 > x0 && y1 > y0) return { x0, y0, x1, y1 };
    }
    this.fixed ??= this.reach(d);
    return this.fixed;
  }

  private reach(d: Drawing): Box {
    const b = { x0: Infinity, y0: Infinity, x1: -Infinity, y1: -Infinity };
    const rows = Math.min(this.run.rows, 400);
    for (let n = 0; n < rows; n++) {
      const i = rows > 1 ? Math.round((n * (this.run.rows - 1)) / (rows - 1)) : 0;
      for (const s of d.shapes) {
        if (s.kind === "view") continue;
        const [fx, fy, a] = s.frame ? s.frame.map((k) => d.values[k][i]) : [0, 0, 0];
        const pad = s.kind === "circle" ? d.values[s.numbers[2]][i] : 0;
        const pairs = s.kind === "circle" || s.kind === "contact" ? 2 : s.numbers.length;
        for (let k = 0; k + 1 < pairs + (pairs % 2); k += 2) {
          const x = d.values[s.numbers[k]][i], y = d.values[s.numbers[k + 1]][i];
          const px = fx + Math.cos(a) * x - Math.sin(a) * y, py = fy + Math.sin(a) * x + Math.cos(a) * y;
          if (!Number.isFinite(px) || !Number.isFinite(py)) continue;
          b.x0 = Math.min(b.x0, px - pad); b.x1 = Math.max(b.x1, px + pad);
          b.y0 = Math.min(b.y0, py - pad); b.y1 = Math.max(b.y1, py + pad);
        }
      }
    }
    if (!(b.x1 > b.x0) && !(b.y1 > b.y0)) return { x0: -1, y0: -1, x1: 1, y1: 1 };
    const m = 0.08 * Math.max(b.x1 - b.x0, b.y1 - b.y0);
    return { x0: b.x0 - m, y0: b.y0 - m, x1: b.x1 + m, y1: b.y1 + m };
  }

  private screen(p: [number, number]): [number, number] {
    return [this.origin[0] + this.scale * p[0], this.origin[1] - this.scale * p[1]];
  }

  // ---- drawing ----

  draw(): void {
    const s = sharp(this.canvas);
    if (!s) return;
    const d = this.run.drawing;
    if (!d) {
      this.drawDials(s.c, s.w, s.h);
      return;
    }
    const b = this.box(d);
    this.scale = this.zoom * Math.min(s.w / (b.x1 - b.x0), s.h / (b.y1 - b.y0));
    this.origin = [s.w / 2 - this.scale * (b.x0 + b.x1) / 2 + this.shift[0],
                   s.h / 2 + this.scale * (b.y0 + b.y1) / 2 + this.shift[1]];
    this.room = Math.min(1, Math.min(s.w, s.h) / 300);
    this.sizes = this.run.touch ? sizesOf(d, this.player.row) : this.sizes;
    if (isShown("grid")) this.drawGrid(s.c, s.w, s.h);
    if (isShown("trails")) this.drawTrails(s.c, d);
    for (const shape of d.shapes) if (shape.kind !== "contact") this.drawShape(s.c, d, shape);
    this.notice();
    for (const shape of d.shapes) if (shape.kind === "contact") this.drawContact(s.c, d, shape);
    this.drawTouches(s.c);
    if (this.held) this.drawHold(s.c, d, this.held);
  }

  // The ways of bodies: origins of frames and middles of circles that move, fading into the past
  private drawTrails(c: CanvasRenderingContext2D, d: Drawing): void {
    const times = this.run.t, now = this.player.row, span = trailSpan(this.run);
    this.ways ??= waysOf(d);
    let first = now;
    while (first > 0 && times[first] > this.player.t - span) first--;
    const step = Math.max(1, Math.ceil((now - first) / 120));
    c.lineWidth = 1.5;
    c.lineCap = "butt";
    this.ways.forEach(([kx, ky], n) => {
      c.strokeStyle = palette().bodies[n % palette().bodies.length];
      let before = this.screen([this.value(d, kx), this.value(d, ky)]);
      for (let i = now; i >= first; i -= step) {
        const here = this.screen([d.values[kx][i], d.values[ky][i]]);
        c.globalAlpha = 0.8 * Math.max(0, 1 - (this.player.t - times[i]) / span);
        c.beginPath();
        c.moveTo(before[0], before[1]);
        c.lineTo(here[0], here[1]);
        c.stroke();
        before = here;
      }
    });
    c.globalAlpha = 1;
  }

  private drawGrid(c: CanvasRenderingContext2D, w: number, h: number): void {
    const p = palette(), step = niceStep(Math.min(w, h) / this.scale, 5);
    c.strokeStyle = p.line;
    c.fillStyle = p.muted;
    c.lineWidth = 1;
    c.font = "11px system-ui, sans-serif";
    const left = -this.origin[0] / this.scale, right = (w - this.origin[0]) / this.scale;
    const top = this.origin[1] / this.scale, bottom = (this.origin[1] - h) / this.scale;
    c.beginPath();
    for (let i = Math.ceil(left / step); i * step <= right; i++) {
      const x = Math.round(this.origin[0] + i * step * this.scale) + 0.5;
      c.moveTo(x, 0);
      c.lineTo(x, h);
    }
    for (let i = Math.ceil(bottom / step); i * step <= top; i++) {
      const y = Math.round(this.origin[1] - i * step * this.scale) + 0.5;
      c.moveTo(0, y);
      c.lineTo(w, y);
    }
    c.stroke();
    c.textAlign = "left";
    c.textBaseline = "bottom";
    for (let i = Math.ceil(bottom / step); i * step <= top; i++) {
      const y = this.origin[1] - i * step * this.scale;
      if (y > 40 && y < h - 22) c.fillText(tick(i * step, step) + " m", 6, y - 2);
    }
    c.textAlign = "center";
    for (let i = Math.ceil(left / step); i * step <= right; i++) {
      const x = this.origin[0] + i * step * this.scale;
      if (x > 70 && x < w - 30) c.fillText(tick(i * step, step) + " m", x, h - 4);
    }
  }

  private path(c: CanvasRenderingContext2D, points: [number, number][], closed: boolean): boolean {
    if (points.some((q) => !Number.isFinite(q[0]) || !Number.isFinite(q[1]))) return false;
    c.beginPath();
    points.forEach((q, i) => {
      const [x, y] = this.screen(q);
      if (i) c.lineTo(x, y);
      else c.moveTo(x, y);
    });
    if (closed) c.closePath();
    return true;
  }

  private drawShape(c: CanvasRenderingContext2D, d: Drawing, s: Shape): void {
    const p = palette();
    c.lineJoin = c.lineCap = "round";
    c.lineWidth = s.width ?? 1.5;
    c.strokeStyle = colour(s.stroke, p.named.ink);
    c.fillStyle = colour(s.fill, "transparent");
    if (s.kind === "polygon" || s.kind === "line") {
      const filled = s.kind === "polygon" && s.fill;
      if (!this.path(c, this.points(d, s), s.kind === "polygon")) return;
      if (filled) c.fill();
      if (filled && !s.stroke) {
        c.lineWidth = 1;
        c.globalAlpha = 0.45;
      }
      c.stroke();
      c.globalAlpha = 1;
    } else if (s.kind === "circle") this.drawCircle(c, d, s);
    else if (s.kind === "spring") this.drawSpring(c, d, s);
    else if (s.kind === "ground") this.drawGround(c, d, s);
    else if (s.kind === "text") {
      const [x, y] = this.screen(this.points(d, s)[0]);
      c.fillStyle = colour(s.fill, p.ink);
      c.font = "13px system-ui, sans-serif";
      c.textAlign = "center";
      c.textBaseline = "middle";
      c.fillText(s.label ?? "", x, y);
    }
  }

  private drawCircle(c: CanvasRenderingContext2D, d: Drawing, s: Shape): void {
    const [x, y, r] = s.numbers.map((k) => this.value(d, k));
    const [sx, sy] = this.screen(this.point(d, s, x, y));
    if (!(r > 0) || !Number.isFinite(sx) || !Number.isFinite(sy)) return;
    c.beginPath();
    c.arc(sx, sy, r * this.scale, 0, 2 * Math.PI);
    c.fill();
    if (!s.stroke) {
      c.lineWidth = 1;
      c.globalAlpha = 0.45;
    }
    c.stroke();
    c.globalAlpha = 1;
  }

  private drawSpring(c: CanvasRenderingContext2D, d: Drawing, s: Shape): void {
    const [a, b] = this.points(d, s).map((q) => this.screen(q));
    const dx = b[0] - a[0], dy = b[1] - a[1], length = Math.hypot(dx, dy);
    if (!(length > 1)) return;
    const n = 9, width = Math.min(10, 0.22 * length + 3), lead = 0.12;
    c.strokeStyle = colour(s.stroke, palette().named.steel);
    c.beginPath();
    c.moveTo(a[0], a[1]);
    for (let i = 0; i <= n; i++) {
      const f = lead + ((1 - 2 * lead) * i) / n, side = i === 0 || i === n ? 0 : i % 2 ? width : -width;
      c.lineTo(a[0] + f * dx - (side * dy) / length, a[1] + f * dy + (side * dx) / length);
    }
    c.lineTo(b[0], b[1]);
    c.stroke();
  }

  private drawGround(c: CanvasRenderingContext2D, d: Drawing, s: Shape): void {
    const points = this.points(d, s);
    c.strokeStyle = colour(s.stroke, palette().named.grey);
    c.lineWidth = s.width ?? 2;
    if (!this.path(c, points, false)) return;
    c.stroke();
    c.lineWidth = 1;
    c.globalAlpha = 0.7;
    c.beginPath();
    for (let i = 0; i + 1 < points.length; i++) {
      const a = this.screen(points[i]), b = this.screen(points[i + 1]);
      const dx = b[0] - a[0], dy = b[1] - a[1], length = Math.hypot(dx, dy), n = Math.min(400, Math.floor(length / 9));
      for (let k = 1; k <= n; k++) {
        const x = a[0] + (dx * k * 9) / length, y = a[1] + (dy * k * 9) / length;
        const ex = dx / length, ey = dy / length;  // on the screen y points down: the right-hand side is (-ey, ex)
        c.moveTo(x, y);
        c.lineTo(x + 8 * (-ey - 0.7 * ex), y + 8 * (ex - 0.7 * ey));
      }
    }
    c.stroke();
    c.globalAlpha = 1;
  }

  // ---- contacts ----

  // Which impacts were passed since the last picture
  private notice(): void {
    const e = this.run.events, now = performance.now();
    const low = Math.min(this.shownT, this.player.t), high = Math.max(this.shownT, this.player.t);
    if (this.player.playing && high > low) {
      for (let i = 0; i < e.n && e.t[i] <= high; i++) {
        if (e.t[i] > low && e.kind[i] === 0) this.flash[e.contact[i]] = now;
      }
    }
    this.shownT = this.player.t;
  }

  // In a film: milliseconds of the film since the last impact of a contact
  private sinceImpact(contact: number): number {
    const e = this.run.events, t = this.player.t;
    let last = -Infinity;
    for (let i = 0; i < e.n && e.t[i] <= t; i++) if (e.kind[i] === 0 && e.contact[i] === contact) last = e.t[i];
    return (1000 * (t - last)) / (wishedNumber("speed") ?? 1);
  }

  // Marks of a contact are bounded by the smaller of the bodies that touch, so that they do not hide it
  private markSize(contact: number): number {
    const names = pairOf(this.run.contacts[contact]?.name ?? "").split(" - ");
    const size = Math.min(...names.map((n) => this.sizes.get(n) ?? Infinity));
    return Math.min(this.room, (size * this.scale) / ROOM);
  }

  // Contacts that come and go, where they are in this row; arrows are the impulses on the second body
  private drawTouches(c: CanvasRenderingContext2D): void {
    const t = this.run.touch, i = this.player.row;
    if (!t) return;
    for (let k = i > 0 ? t.end[i - 1] : 0; k < t.end[i]; k++) {
      const [x, y] = this.screen([t.x[k], t.y[k]]), state = t.state[k];
      if (state === 0 || !Number.isFinite(x) || !Number.isFinite(y)) continue;
      const col = palette().states[state] ?? palette().muted;
      const mu = this.run.contacts[t.contact[k]]?.mu ?? 0, n: [number, number] = [t.nx[k], t.ny[k]];
      const size = this.markSize(t.contact[k]);
      if (mu > 0 && isShown("cones")) this.drawCone(c, x, y, n, [n[1], -n[0]], mu, col, size);
      if (isShown("forces")) this.drawArrow(c, x, y, [1, 0], [0, 1], t.fx[k], t.fy[k], col, size);
      if (isShown("contacts")) this.drawDot(c, x, y, state, col, size);
    }
  }

  private drawDot(c: CanvasRenderingContext2D, x: number, y: number, state: number, col: string, size: number): void {
    c.beginPath();
    c.arc(x, y, Math.max(1.2, (state ? 5 : 4) * size), 0, 2 * Math.PI);
    c.fillStyle = state ? col : palette().panel;
    c.strokeStyle = state ? palette().panel : col;
    c.lineWidth = 1.5 * size;
    c.fill();
    c.stroke();
  }

  private drawContact(c: CanvasRenderingContext2D, d: Drawing, s: Shape): void {
    const k = s.contact ?? -1, a = this.arrows[k], i = this.player.row;
    if (!a) return;
    const [at] = this.points(d, s), directions = this.points(d, s, 2, true);
    const n = directions[0], t: [number, number] = directions[1] ?? [n[1], -n[0]];
    const [x, y] = this.screen(at);
    if (!Number.isFinite(x) || !Number.isFinite(y)) return;
    const state = valueAt(a.state, i) ?? 0, col = palette().states[state] ?? palette().muted;
    const age = isPlain ? this.sinceImpact(k) : performance.now() - (this.flash[k] ?? -1e9);
    if (age < FLASH) {
      c.strokeStyle = palette().kinds[0];
      c.globalAlpha = 1 - age / FLASH;
      c.lineWidth = 3;
      c.beginPath();
      c.arc(x, y, 6 + 18 * (age / FLASH), 0, 2 * Math.PI);
      c.stroke();
      c.globalAlpha = 1;
      if (!isPlain) this.request();
    }
    if (state !== 0) {
      if (a.mu > 0 && isShown("cones")) this.drawCone(c, x, y, n, t, a.mu, col, this.room);
      if (isShown("forces")) this.drawArrow(c, x, y, n, t, valueAt(a.N, i) ?? 0, valueAt(a.T, i) ?? 0, col, this.room);
    }
    if (isShown("contacts")) this.drawDot(c, x, y, state, col, this.room);
  }

  private drawCone(c: CanvasRenderingContext2D, x: number, y: number, n: [number, number], t: [number, number],
                   mu: number, col: string, size: number): void {
    const k = (CONE * size) / Math.hypot(1, mu);
    c.beginPath();
    c.moveTo(x, y);
    c.lineTo(x + k * (n[0] + mu * t[0]), y - k * (n[1] + mu * t[1]));
    c.lineTo(x + k * (n[0] - mu * t[0]), y - k * (n[1] - mu * t[1]));
    c.closePath();
    c.fillStyle = col;
    c.globalAlpha = 0.16;
    c.fill();
    c.globalAlpha = 1;
  }

  // Impulses of impacts are a thousand times those of rest: lengths are compressed, directions are true.
  private drawArrow(c: CanvasRenderingContext2D, x: number, y: number, n: [number, number], t: [number, number],
                    N: number, T: number, col: string, size: number): void {
    const impulse = Math.hypot(N, T);
    if (!(impulse > 0) || !(this.largest > 0)) return;
    const length = size * (14 + 70 * Math.pow(Math.min(1, impulse / this.largest), 0.35));
    const dx = (N * n[0] + T * t[0]) / impulse, dy = -(N * n[1] + T * t[1]) / impulse;
    const ex = x + length * dx, ey = y + length * dy, head = 9 * size, half = 4.5 * size;
    c.strokeStyle = c.fillStyle = col;
    c.lineWidth = Math.max(0.6, 2.5 * size);
    c.beginPath();
    c.moveTo(x, y);
    c.lineTo(ex - 6 * size * dx, ey - 6 * size * dy);
    c.stroke();
    c.beginPath();
    c.moveTo(ex, ey);
    c.lineTo(ex - head * dx - half * dy, ey - head * dy + half * dx);
    c.lineTo(ex - head * dx + half * dy, ey - head * dy - half * dx);
    c.closePath();
    c.fill();
  }

  // ---- models without a drawing: every coordinate on a scale of its own ----

  private drawDials(c: CanvasRenderingContext2D, w: number, h: number): void {
    const p = palette(), names = this.run.coordinates.slice(0, Math.max(1, Math.floor((h - 60) / 34)));
    const i = this.player.row;
    c.font = "13px system-ui, sans-serif";
    c.textBaseline = "middle";
    names.forEach((name, k) => {
      const col = column(this.run, name);
      if (!col) return;
      let low = Infinity, high = -Infinity;
      for (const v of col.values) {
        if (v < low) low = v;
        if (v > high) high = v;
      }
      const y = 50 + k * 34, x0 = Math.min(150, 0.28 * w), x1 = w - 130;
      const f = high > low ? (col.values[i] - low) / (high - low) : 0.5;
      c.fillStyle = p.ink;
      c.textAlign = "right";
      c.fillText(plain(name, this.run.velocities), x0 - 14, y);
      c.strokeStyle = p.line;
      c.lineWidth = 6;
      c.lineCap = "round";
      c.beginPath();
      c.moveTo(x0, y);
      c.lineTo(x1, y);
      c.stroke();
      c.fillStyle = p.curves[k % p.curves.length];
      c.beginPath();
      c.arc(x0 + f * (x1 - x0), y, 8, 0, 2 * Math.PI);
      c.fill();
      c.fillStyle = p.muted;
      c.textAlign = "left";
      c.fillText(`${col.values[i].toPrecision(4)} ${col.unit}`, x1 + 16, y);
    });
    c.fillStyle = p.muted;
    c.textAlign = "left";
    c.fillText("The model has no draw: section; each coordinate on its own scale.", 14, h - 16, w - 28);
  }

  // ---- dragging ----

  private world(x: number, y: number): [number, number] {
    return [(x - this.origin[0]) / this.scale, (this.origin[1] - y) / this.scale];
  }

  private corner(d: Drawing, s: Shape, k: number): [number, number] {
    return this.point(d, s, this.value(d, s.numbers[2 * k]), this.value(d, s.numbers[2 * k + 1]));
  }

  // How far a point of the screen is from a shape, in pixels; 0 inside
  private distance(d: Drawing, s: Shape, x: number, y: number): number {
    if (s.kind === "circle") {
      const [cx, cy] = this.screen(this.corner(d, s, 0));
      return Math.max(0, Math.hypot(x - cx, y - cy) - this.scale * this.value(d, s.numbers[2]));
    }
    const p = this.points(d, s).map((q) => this.screen(q)), closed = s.kind === "polygon";
    let least = Infinity, inside = false;
    for (let i = 0, j = p.length - 1; i < p.length; j = i++) {
      const [ax, ay] = p[j], [bx, by] = p[i];
      if (closed && ay > y !== by > y && x < ((bx - ax) * (y - ay)) / (by - ay) + ax) inside = !inside;
      if (i === 0 && !closed) continue;
      const l2 = (bx - ax) ** 2 + (by - ay) ** 2, f = l2 > 0 ? Math.max(0, Math.min(1, ((x - ax) * (bx - ax) + (y - ay) * (by - ay)) / l2)) : 0;
      least = Math.min(least, Math.hypot(x - ax - f * (bx - ax), y - ay - f * (by - ay)));
    }
    return inside ? 0 : least;
  }

  /** The shape there that comes last in the drawing, among those that move. */
  pick(x: number, y: number): Hit | null {
    const d = this.run.drawing;
    if (!d) return null;
    for (let i = d.shapes.length - 1; i >= 0; i--) {
      const s = d.shapes[i];
      if (!["line", "polygon", "circle"].includes(s.kind) || !(this.distance(d, s, x, y) <= 6)) continue;
      const at = this.world(x, y);
      if ((s.frame ?? s.numbers).every((k) => d.constant?.[k])) continue;
      return s.frame ? { shape: i, local: this.inFrame(d, s, at) } : this.nearest(d, s, i, at);
    }
    return null;
  }

  private inFrame(d: Drawing, s: Shape, at: [number, number]): number[] {
    const [x, y, a] = s.frame!.map((k) => this.value(d, k)), c = Math.cos(a), n = Math.sin(a);
    return [c * (at[0] - x) + n * (at[1] - y), -n * (at[0] - x) + c * (at[1] - y)];
  }

  private nearest(d: Drawing, s: Shape, shape: number, at: [number, number]): Hit {
    const corners = s.kind === "circle" ? 1 : s.numbers.length >> 1;
    let best = 0, least = Infinity;
    for (let k = 0; k < corners; k++) {
      const p = this.corner(d, s, k), l = Math.hypot(p[0] - at[0], p[1] - at[1]);
      if (l < least) [best, least] = [k, l];
    }
    const p = this.corner(d, s, best);
    return { shape, corner: best, local: [at[0] - p[0], at[1] - p[1]] };
  }

  // The spring from the point that is held to the mouse
  private drawHold(c: CanvasRenderingContext2D, d: Drawing, held: { hit: Hit; to: [number, number] }): void {
    const s = d.shapes[held.hit.shape ?? -1], [lx, ly] = held.hit.local;
    if (!s) return;
    const corner = s.frame ? null : this.corner(d, s, held.hit.corner ?? 0);
    const [x, y] = this.screen(corner ? [corner[0] + lx, corner[1] + ly] : this.point(d, s, lx, ly));
    c.strokeStyle = c.fillStyle = palette().accent;
    c.lineWidth = 2;
    c.setLineDash([5, 4]);
    c.beginPath();
    c.moveTo(x, y);
    c.lineTo(held.to[0], held.to[1]);
    c.stroke();
    c.setLineDash([]);
    for (const [px, py] of [[x, y], held.to]) {
      c.beginPath();
      c.arc(px, py, 4, 0, 2 * Math.PI);
      c.fill();
    }
  }

  // ---- mouse ----

  private handleMouse(): void {
    const canvas = this.canvas;
    let from: [number, number] | null = null;
    canvas.addEventListener("wheel", (e) => {
      if (!this.run.drawing) return;
      e.preventDefault();
      const k = Math.exp(-e.deltaY * 0.0015), next = Math.min(50, Math.max(0.2, this.zoom * k));
      const r = next / this.zoom, cx = e.offsetX - canvas.clientWidth / 2, cy = e.offsetY - canvas.clientHeight / 2;
      this.shift = [cx - r * (cx - this.shift[0]), cy - r * (cy - this.shift[1])];
      this.zoom = next;
      this.request();
    }, { passive: false });
    canvas.addEventListener("pointerdown", (e) => {
      if (e.pointerType === "touch") return;  // fingers scroll the page
      const hit = this.grabber && e.button === 0 ? this.pick(e.offsetX, e.offsetY) : null;
      if (hit) {
        this.held = { hit, to: [e.offsetX, e.offsetY] };
        this.grabber!.begin(hit, this.world(e.offsetX, e.offsetY));
        canvas.setPointerCapture(e.pointerId);
        this.request();
        return;
      }
      from = [e.clientX - this.shift[0], e.clientY - this.shift[1]];
      canvas.setPointerCapture(e.pointerId);
    });
    canvas.addEventListener("pointermove", (e) => {
      if (this.held) {
        this.held.to = [e.offsetX, e.offsetY];
        this.grabber!.move(this.world(e.offsetX, e.offsetY));
        this.request();
      }
      if (!from) return;
      this.shift = [e.clientX - from[0], e.clientY - from[1]];
      this.request();
    });
    const end = () => {
      from = null;
      if (!this.held) return;
      this.held = null;
      this.grabber!.end();
      this.request();
    };
    canvas.addEventListener("pointerup", end);
    canvas.addEventListener("pointercancel", end);
    canvas.addEventListener("dblclick", () => {
      this.zoom = 1;
      this.shift = [0, 0];
      this.request();
    });
  }
}
