// The time bar: events as marks, the states of the contacts as bands, the present as a line. Drag to scrub.
import { Bands } from "./closed";
import { indexAt, KINDS, STATES, type Run } from "./data";
import { el, niceStep, num, tick } from "./format";
import type { Player } from "./player";
import { onTheme, palette, sharp, sizeOf } from "./theme";

const BANDS = 6, BAND = 11, MARKS = 18, AXIS = 18;

export class TimeBar {
  readonly element: HTMLElement;
  private canvas = el("canvas", { class: "timebar", role: "slider", tabindex: "0", "aria-label": "time" });
  private tip = el("div", { class: "tip" });
  private bands: Bands;
  private head = el("div", { class: "timehead" });
  private drawn = "";

  constructor(private run: Run, private player: Player) {
    this.element = el("div", { class: "timebar-box" }, this.canvas, this.head, this.tip);
    this.bands = new Bands(run, BANDS);
    this.measure();
    player.listenData(() => {
      this.drawn = "";
      this.bands.update();
      this.measure();
    });
    player.listen(() => this.draw());
    player.listenWindow(() => this.draw());
    onTheme(() => this.draw());
    new ResizeObserver(() => this.draw()).observe(this.canvas);
    this.handleMouse();
  }

  private measure(): void {
    const height = MARKS + Math.max(1, this.bands.list.length) * BAND;
    this.canvas.style.height = `${height + AXIS}px`;
    this.head.style.height = `${height + 2}px`;
  }

  private x(t: number, w: number): number {
    const [a, b] = this.player.window;
    return 10 + ((t - a) / (b - a)) * (w - 20);
  }

  private time(x: number): number {
    const [a, b] = this.player.window;
    return a + ((x - 10) / Math.max(1, sizeOf(this.canvas)[0] - 20)) * (b - a);
  }

  draw(): void {
    const [w, h] = sizeOf(this.canvas);
    if (w < 2 || h < 2) return;
    this.drawBack(w, h);
    const x = this.x(this.player.t, w), inside = x >= 9 && x <= w - 9;  // of the window, when that is moved
    if (this.head.hidden === inside) this.head.hidden = !inside;
    this.head.style.transform = `translateX(${x}px)`;
    this.canvas.setAttribute("aria-valuenow", String(this.player.t));
    this.canvas.setAttribute("aria-valuetext", `${num(this.player.t)} s`);
  }

  // All but the present, which moves above it: drawn once
  private drawBack(w: number, h: number): void {
    const key = `${w} ${h} ${devicePixelRatio} ${this.player.window} ${palette().ink} ${this.bands.list.length}`;
    if (this.drawn === key) return;
    const c = sharp(this.canvas)?.c;
    if (!c) return;
    this.drawn = key;
    this.canvas.setAttribute("aria-valuemin", String(this.player.start));
    this.canvas.setAttribute("aria-valuemax", String(this.player.end));
    this.drawBands(c, w);
    this.drawMarks(c, w);
    this.drawAxis(c, w, h);
    this.drawOverview(c, w);
  }

  // Pixel by pixel: the state that is there; of several in a pixel a closed one wins, so that touches are seen.
  private drawBands(c: CanvasRenderingContext2D, w: number): void {
    const p = palette(), t = this.run.t;
    const left = this.x(this.player.start, w), right = this.x(this.player.end, w);
    if (!this.bands.list.length) {
      c.fillStyle = p.line;
      c.fillRect(10, MARKS + 1, w - 20, BAND - 2);
    }
    this.bands.list.forEach(({ states: state }, k) => {
      const y = MARKS + k * BAND;
      c.fillStyle = p.line;
      c.fillRect(Math.max(10, left), y + 1, Math.min(w - 10, right) - Math.max(10, left), BAND - 2);
      for (let x = 10; x < w - 10; x++) {
        const i0 = indexAt(t, this.time(x)), i1 = Math.max(i0, indexAt(t, this.time(x + 1)));
        let shown = state[i0];
        for (let i = i0; i <= i1 && !shown; i++) shown = state[i];
        if (!shown) continue;
        c.fillStyle = p.states[shown] ?? p.muted;
        c.fillRect(x, y + 1, 1, BAND - 2);
      }
      this.nameBand(c, this.bands.list[k].name, y);
    });
  }

  // On the band, where it begins
  private nameBand(c: CanvasRenderingContext2D, name: string, y: number): void {
    const p = palette();
    c.font = "9px system-ui, sans-serif";
    c.textAlign = "left";
    c.textBaseline = "middle";
    c.lineWidth = 3;
    c.strokeStyle = p.panel;
    c.fillStyle = p.ink;
    c.strokeText(name, 13, y + BAND / 2);
    c.fillText(name, 13, y + BAND / 2);
  }

  private drawMarks(c: CanvasRenderingContext2D, w: number): void {
    const e = this.run.events, p = palette(), [a, b] = this.player.window;
    const used = new Set<string>();  // one mark of a kind per pixel
    const mark = (t: number, kind: number, width: number) => {
      const x = Math.round(this.x(t, w)), key = `${x}.${kind}`;
      if (t < a || t > b || used.has(key)) return;
      used.add(key);
      c.fillStyle = p.kinds[kind] ?? p.muted;
      c.globalAlpha = kind === 0 || kind === 4 ? 1 : 0.75;
      c.fillRect(x - 0.75, kind === 0 || kind === 4 ? 3 : 9, width, kind === 0 || kind === 4 ? MARKS - 4 : MARKS - 10);
    };
    for (let i = 0; i < e.n; i++) mark(e.t[i], e.kind[i], 1.5);
    this.eachUnlisted((from, to, kind) => mark(Math.max(a, from), kind, Math.max(1.5, this.x(Math.min(b, to), w) - this.x(Math.max(a, from), w))));
    c.globalAlpha = 1;
  }

  // Spans of time after the last listed event in which there are others, kind by kind
  private eachUnlisted(f: (from: number, to: number, kind: number, count: number) => void): void {
    const { marks, n, t } = this.run.events;
    if (!marks || !n) return;
    const span = (marks.to - marks.from) / marks.n;
    marks.counts.forEach((counts, kind) => {
      for (let i = 0; i < marks.n; i++) {
        const to = marks.from + (i + 1) * span;
        if (counts[i] && to > t[n - 1]) f(Math.max(t[n - 1], to - span), to, kind, counts[i]);
      }
    });
  }

  private unlistedAt(t: number): string {
    const found: string[] = [];
    this.eachUnlisted((from, to, kind, count) => {
      if (t >= from && t < to) found.push(`${KINDS[kind] ?? "event"} ${count >= 255 ? "255 or more" : count}`);
    });
    return found.length ? `${found.join(", ")} (not in the table)` : "";
  }

  private drawAxis(c: CanvasRenderingContext2D, w: number, h: number): void {
    const p = palette(), [a, b] = this.player.window, step = niceStep(b - a, Math.max(2, w / 110));
    c.fillStyle = p.muted;
    c.font = "11px system-ui, sans-serif";
    c.textBaseline = "bottom";
    c.textAlign = "center";
    for (let i = Math.ceil(a / step - 1e-9); i * step <= b + 1e-9 * step; i++) {
      const x = this.x(i * step, w);
      c.fillRect(x - 0.5, h - AXIS + 1, 1, 4);
      if (x > 24 && x < w - 24) c.fillText(tick(i * step, step) + " s", x, h);
    }
  }

  // Where the window lies in the whole, if it is not the whole
  private drawOverview(c: CanvasRenderingContext2D, w: number): void {
    const [a, b] = this.player.window, [from, to] = this.player.whole;
    if (b - a >= 0.999 * (to - from)) return;
    const p = palette(), k = (w - 20) / (to - from);
    c.fillStyle = p.line;
    c.fillRect(10, 0, w - 20, 3);
    c.fillStyle = p.muted;
    c.fillRect(10 + k * (a - from), 0, Math.max(4, k * (b - a)), 3);
  }

  // The event within a few pixels, -1 if none
  private near(x: number): number {
    const e = this.run.events, w = sizeOf(this.canvas)[0];
    let best = -1, distance = 5;
    for (let i = 0; i < e.n; i++) {
      const d = Math.abs(this.x(e.t[i], w) - x);
      if (d < distance) {
        distance = d;
        best = i;
      }
    }
    return best;
  }

  // Over a band the contact and its state, else the event that is near
  private tipAt(x: number, y: number): string {
    const e = this.run.events, i = this.near(x), band = this.bands.list[Math.floor((y - MARKS) / BAND)];
    if (y >= MARKS && band) {
      const row = indexAt(this.run.t, this.time(x));
      return `${band.name}: ${STATES[band.states[row]] ?? "?"}`;
    }
    if (i < 0) return this.unlistedAt(this.time(x));
    return `${KINDS[e.kind[i]] ?? "event"} ${this.run.contacts[e.contact[i]]?.name ?? ""}, t = ${num(e.t[i], 6)} s`;
  }

  private showTip(x: number, y: number): void {
    const text = this.tipAt(x, y);
    if (!text) {
      this.tip.style.display = "none";
      return;
    }
    this.tip.textContent = text;
    this.tip.style.display = "block";
    const width = this.tip.offsetWidth, room = sizeOf(this.canvas)[0] - width - 4;
    this.tip.style.left = `${Math.max(4, Math.min(room, x - width / 2))}px`;
  }

  private handleMouse(): void {
    let dragging = false;
    const canvas = this.canvas;
    const go = (e: PointerEvent) => {
      const i = this.near(e.offsetX);
      this.player.seek(i >= 0 && !e.shiftKey ? this.run.events.t[i] : this.time(e.offsetX));
    };
    canvas.addEventListener("pointerdown", (e) => {
      dragging = true;
      this.player.pause();
      canvas.setPointerCapture(e.pointerId);
      go(e);
    });
    canvas.addEventListener("pointermove", (e) => {
      if (dragging) this.player.seek(this.time(e.offsetX));
      this.showTip(e.offsetX, e.offsetY);
    });
    canvas.addEventListener("pointerup", () => { dragging = false; });
    canvas.addEventListener("pointercancel", () => { dragging = false; });
    canvas.addEventListener("pointerleave", () => { this.tip.style.display = "none"; });
    canvas.addEventListener("dblclick", () => this.player.setWindow(...this.player.whole));
    canvas.addEventListener("wheel", (e) => {
      e.preventDefault();
      const t = this.time(e.offsetX), k = Math.exp(e.deltaY * 0.002), [a, b] = this.player.window;
      this.player.setWindow(t + k * (a - t), t + k * (b - t));
    }, { passive: false });
  }
}
