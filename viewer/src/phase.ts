// Phase portrait: one quantity against another, with the point that moves. A click goes to the nearest state.
import type { Column, Run } from "./data";
import { el, niceStep, plain, tick } from "./format";
import type { Player } from "./player";
import { noiseOf } from "./quantities";
import { onTheme, palette, sharp, sizeOf } from "./theme";

const LEFT = 86, RIGHT = 16, TOP = 12, BOTTOM = 38;

// "φ_M [rad]" in the middle of x, with its subscript
function fillSymbol(c: CanvasRenderingContext2D, text: string, x: number, y: number): void {
  const m = /^([^_\s]+)_([^\s]+)(.*)$/.exec(text);
  if (!m) {
    c.fillText(text, x, y);
    return;
  }
  const large = c.font, small = "9px system-ui, sans-serif";
  const width = (part: string, font: string) => { c.font = font; return c.measureText(part).width; };
  const fonts = [large, small, large], widths = fonts.map((font, k) => width(m[k + 1], font));
  let at = x - (widths[0] + widths[1] + widths[2]) / 2;
  c.save();
  c.textAlign = "left";
  fonts.forEach((font, k) => {
    c.font = font;
    c.fillText(m[k + 1], at, k === 1 ? y + 3 : y);
    at += widths[k];
  });
  c.restore();
  c.font = large;
}

export class PhasePortrait {
  private canvas = el("canvas", { class: "phase", role: "img" });
  private point = el("div", { class: "phase-point" });
  readonly element = el("div", { class: "phase-box" }, this.canvas, this.point);
  private stale = true;
  private range = { x0: 0, x1: 1, y0: 0, y1: 1 };
  private x: Column | null = null;
  private y: Column | null = null;

  constructor(private run: Run, private player: Player) {
    const redo = () => {
      this.stale = true;
      this.draw();
    };
    player.listen(() => this.draw());
    player.listenWindow(redo);
    player.listenData(() => this.remeasure());
    onTheme(redo);
    new ResizeObserver(redo).observe(this.canvas);
    this.canvas.addEventListener("click", (e) => this.go(e.offsetX, e.offsetY));
  }

  set(x: Column, y: Column): void {
    this.x = x;
    this.y = y;
    this.range = this.measure(x, y);
    this.stale = true;
    this.canvas.setAttribute("aria-label", `${y.name} against ${x.name}`);
    this.draw();
  }

  private remeasure(): void {
    if (!this.x || !this.y || !this.canvas.offsetParent) return;
    this.range = this.measure(this.x, this.y);
    this.stale = true;
  }

  /** Where the moving point is, in pixels. */
  position(): [number, number] {
    if (!this.x || !this.y) return [NaN, NaN];
    const i = this.player.row, f = this.player.fraction, j = Math.min(i + 1, this.run.rows - 1);
    const at = (v: Column) => v.values[i] + f * (v.values[j] - v.values[i]);
    return [this.px(at(this.x)), this.py(at(this.y))];
  }

  private measure(x: Column, y: Column) {
    const r = { x0: Infinity, x1: -Infinity, y0: Infinity, y1: -Infinity };
    for (let i = 0; i < this.run.rows; i++) {
      const a = x.values[i], b = y.values[i];
      if (!Number.isFinite(a) || !Number.isFinite(b)) continue;
      r.x0 = Math.min(r.x0, a); r.x1 = Math.max(r.x1, a);
      r.y0 = Math.min(r.y0, b); r.y1 = Math.max(r.y1, b);
    }
    const pad = (a: number, b: number, noise: number): [number, number] => {
      if (!(b >= a)) return [-1, 1];
      if (b > a && b - a < noise) return [(a + b) / 2 - noise, (a + b) / 2 + noise];
      const m = b > a ? 0.05 * (b - a) : Math.max(1e-9, 0.1 * Math.abs(a)) || 1;
      return [a - m, b + m];
    };
    [r.x0, r.x1] = pad(r.x0, r.x1, noiseOf(this.run, x.unit));
    [r.y0, r.y1] = pad(r.y0, r.y1, noiseOf(this.run, y.unit));
    return r;
  }

  private px(x: number): number {
    const r = this.range;
    return LEFT + ((x - r.x0) / (r.x1 - r.x0)) * (sizeOf(this.canvas)[0] - LEFT - RIGHT);
  }

  private py(y: number): number {
    const r = this.range, h = sizeOf(this.canvas)[1];
    return h - BOTTOM - ((y - r.y0) / (r.y1 - r.y0)) * (h - TOP - BOTTOM);
  }

  private drawBack(): void {
    const s = sharp(this.canvas);
    if (!s) return;
    const { c, w, h } = s, p = palette(), r = this.range;
    this.stale = false;
    c.font = "11px system-ui, sans-serif";
    c.fillStyle = p.muted;
    c.strokeStyle = p.line;
    const sx = niceStep(r.x1 - r.x0, w / 110), sy = niceStep(r.y1 - r.y0, h / 45);
    c.textAlign = "center";
    c.textBaseline = "top";
    c.beginPath();
    for (let i = Math.ceil(r.x0 / sx); i * sx <= r.x1; i++) {
      const x = this.px(i * sx);
      c.moveTo(x, TOP);
      c.lineTo(x, h - BOTTOM);
      const text = tick(i * sx, sx), room = c.measureText(text).width / 2;
      if (x + room < w) c.fillText(text, x, h - BOTTOM + 5);
    }
    c.textAlign = "right";
    c.textBaseline = "middle";
    for (let i = Math.ceil(r.y0 / sy); i * sy <= r.y1; i++) {
      const y = this.py(i * sy);
      c.moveTo(LEFT, y);
      c.lineTo(w - RIGHT, y);
      c.fillText(tick(i * sy, sy), LEFT - 6, y);
    }
    c.stroke();
    this.drawLabels(c, w, h);
    this.drawCurve(c);
  }

  private drawLabels(c: CanvasRenderingContext2D, w: number, h: number): void {
    if (!this.x || !this.y) return;
    const label = (v: Column) => plain(v.name, this.run.velocities) + (v.unit ? ` [${v.unit}]` : "");
    c.fillStyle = palette().ink;
    c.textAlign = "center";
    c.textBaseline = "bottom";
    fillSymbol(c, label(this.x), (LEFT + w - RIGHT) / 2, h - 6);
    c.save();
    c.translate(11, (TOP + h - BOTTOM) / 2);
    c.rotate(-Math.PI / 2);
    c.textBaseline = "middle";
    fillSymbol(c, label(this.y), 0, 0);
    c.restore();
  }

  // All of it faint, the window of the time bar stronger
  private drawCurve(c: CanvasRenderingContext2D): void {
    const p = palette(), [a, b] = this.player.window, t = this.run.t;
    for (const strong of [false, true]) {
      c.strokeStyle = p.curves[0];
      c.lineWidth = 1.2;
      c.globalAlpha = strong ? 0.85 : 0.2;
      c.beginPath();
      let pen = false;
      for (let i = 0; i < this.run.rows; i++) {
        const x = this.x!.values[i], y = this.y!.values[i];
        const inside = Number.isFinite(x) && Number.isFinite(y) && (!strong || (t[i] >= a && t[i] <= b));
        if (inside && pen) c.lineTo(this.px(x), this.py(y));
        else if (inside) c.moveTo(this.px(x), this.py(y));
        pen = inside;
      }
      c.stroke();
    }
    c.globalAlpha = 1;
  }

  draw(): void {
    if (!this.x || !this.y) return;
    if (this.stale) this.drawBack();
    const [x, y] = this.position(), known = Number.isFinite(x) && Number.isFinite(y);
    if (this.point.hidden === known) this.point.hidden = !known;
    if (known) this.point.style.transform = `translate(${x}px, ${y}px)`;
  }

  private go(mx: number, my: number): void {
    if (!this.x || !this.y) return;
    let best = -1, least = 30 * 30;
    for (let i = 0; i < this.run.rows; i++) {
      const dx = this.px(this.x.values[i]) - mx, dy = this.py(this.y.values[i]) - my, d = dx * dx + dy * dy;
      if (d < least) {
        least = d;
        best = i;
      }
    }
    if (best < 0) return;
    this.player.pause();
    this.player.seek(this.run.t[best]);
  }
}
