// Where we are in the run, and how it plays. Everything that shows something listens to this.
import { indexAt, type Run } from "./data";

export const SPEEDS = [0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10];

export class Player {
  t: number;
  playing = false;
  direction = 1;
  speed = 1;
  /** The part of time that time bar and plots show. */
  window: [number, number];
  private listeners: (() => void)[] = [];
  private windowListeners: (() => void)[] = [];
  private dataListeners: (() => void)[] = [];
  private last = 0;

  constructor(readonly run: Run) {
    this.t = this.start;
    this.window = this.firstWindow();
    this.speed = this.defaultSpeed();
  }

  get start(): number { return this.run.t[0]; }
  get end(): number { return this.run.t[this.run.rows - 1]; }

  /** All of the time; a run with a single row still has some. */
  get whole(): [number, number] {
    return this.end > this.start ? [this.start, this.end] : [this.start - 0.5, this.start + 0.5];
  }

  /** The row that is shown: the last one that is not after t. */
  get row(): number { return indexAt(this.run.t, this.t + 1e-12 * Math.max(1, Math.abs(this.t))); }

  /** How far we are between that row and the next one, 0 to 1. */
  get fraction(): number {
    const i = this.row;
    if (i + 1 >= this.run.rows) return 0;
    const h = this.run.t[i + 1] - this.run.t[i];
    return h > 0 ? Math.min(1, Math.max(0, (this.t - this.run.t[i]) / h)) : 0;
  }

  // All of the time, or, where events are so dense that nothing could be told apart, the first of them; but some rows
  private firstWindow(): [number, number] {
    const [a, b] = this.whole, { events: e, t, rows } = this.run, many = 60;
    return e.n > 2 * many ? [a, Math.min(b, Math.max(e.t[many], t[Math.min(many, rows - 1)]))] : [a, b];
  }

  // So slow that events can be followed by eye
  private defaultSpeed(): number {
    const n = this.run.events.n, span = this.end - this.start;
    const pace = n > 0 ? span / n / 0.15 : 1;
    return SPEEDS.filter((s) => s <= Math.min(1, Math.max(0.02, pace)) * 1.001).pop() ?? 1;
  }

  listen(f: () => void): void { this.listeners.push(f); }
  listenWindow(f: () => void): void { this.windowListeners.push(f); }
  /** Called when the arrays of the run are new, before those that listen to the present. */
  listenData(f: () => void): void { this.dataListeners.push(f); }
  changed(): void { for (const f of this.listeners) f(); }

  /** The run has new arrays. */
  grown(): void {
    for (const f of this.dataListeners) f();
    this.changed();
  }

  seek(t: number): void {
    this.t = Math.min(this.end, Math.max(this.start, t));
    this.keepInWindow();
    this.changed();
  }

  setWindow(a: number, b: number): void {
    const [from, to] = this.whole, least = (to - from) * 1e-5;
    let width = Math.min(to - from, Math.max(least, b - a));
    if (!(width > 0)) width = to - from;
    const low = Math.min(to - width, Math.max(from, a));
    this.window = [low, low + width];
    for (const f of this.windowListeners) f();
  }

  private keepInWindow(): void {
    const [a, b] = this.window, width = b - a;
    if (this.t < a) this.setWindow(this.t - 0.1 * width, this.t + 0.9 * width);
    else if (this.t > b) this.setWindow(this.t - (this.playing ? 0.1 : 0.9) * width, this.t + width);
  }

  toggle(): void {
    this.playing = !this.playing;
    if (this.playing) {
      if (this.direction > 0 && this.t >= this.end) this.t = this.start;
      if (this.direction < 0 && this.t <= this.start) this.t = this.end;
      this.keepInWindow();
      this.last = performance.now();
      requestAnimationFrame(this.tick);
    }
    this.changed();
  }

  pause(): void {
    this.playing = false;
  }

  private tick = (now: number): void => {
    if (!this.playing) return;
    const step = Math.min(0.1, Math.max(0, (now - this.last) / 1000)) * this.speed * this.direction;
    this.last = now;
    const t = this.t + step;
    if (this.direction > 0 ? t >= this.end : t <= this.start) this.playing = false;  // the first step may be none at all
    this.seek(t);
    if (this.playing) requestAnimationFrame(this.tick);
  };

  faster(by: number): void {
    const i = SPEEDS.indexOf(this.speed) + by;
    this.speed = SPEEDS[Math.min(SPEEDS.length - 1, Math.max(0, i))];
    this.changed();
  }

  reverse(): void {
    this.direction = -this.direction;
    this.changed();
  }

  step(by: number): void {
    this.pause();
    const i = Math.min(this.run.rows - 1, Math.max(0, this.row + by));
    this.seek(this.run.t[i]);
  }

  /** To the next event (by > 0) or the one before; events at one instant are one stop. */
  event(by: number): void {
    this.pause();
    const e = this.run.events, eps = 1e-9 * Math.max(1, Math.abs(this.t));
    let goal: number | null = null;
    if (by > 0) {
      for (let i = 0; i < e.n && goal === null; i++) if (e.t[i] > this.t + eps) goal = e.t[i];
    } else {
      for (let i = e.n - 1; i >= 0 && goal === null; i--) if (e.t[i] < this.t - eps) goal = e.t[i];
    }
    if (goal !== null) this.seek(goal);
    else this.changed();
  }
}
