// Curves against time, on uPlot. All of them share the window of the time bar; a click goes there, a drag zooms.
import uPlot from "uplot";
import type { Numbers, Run } from "./data";
import { el, num } from "./format";
import type { Player } from "./player";
import { noiseOf } from "./quantities";
import { onTheme, palette } from "./theme";

export interface Curve {
  label: string;
  unit: string;
  values: () => Numbers | (number | null)[];
  colour?: number;      // which one of the palette
  fill?: boolean;       // to the curve before it
  dashed?: boolean;
  steps?: boolean;
}

export interface TimePlotOptions {
  height: number;
  log?: boolean;
  stacked?: boolean;
  states?: string[];    // the values are numbers of these words
}

function faded(colour: string, alpha: number): string {
  const v = parseInt(colour.slice(1), 16);
  return `rgba(${v >> 16}, ${(v >> 8) & 255}, ${v & 255}, ${alpha})`;
}

// Powers of ten, about six of them
function decades(min: number, max: number): number[] {
  const a = Math.ceil(Math.log10(min) - 1e-9), b = Math.floor(Math.log10(max) + 1e-9), step = Math.max(1, Math.ceil((b - a) / 6));
  const out: number[] = [];
  for (let e = a; e <= b; e += step) out.push(Math.pow(10, e));
  return out;
}

function power(v: number): string {
  return num(v, 1).replace(/^1·/, "");
}

// Some room above and below; a curve that does not change, but for round-off, lies in the middle
function roomFor(low: number | null, high: number | null, noise: number): [number, number] {
  if (low === null || high === null || !(high >= low)) return [0, 1];
  if (high === low) return [low - (Math.abs(low) * 0.1 || 1), high + (Math.abs(high) * 0.1 || 1)];
  if (high - low < noise) return [(low + high) / 2 - noise, (low + high) / 2 + noise];
  return uPlot.rangeNum(low, high, 0.1, true) as [number, number];
}

// Areas stand on zero, whatever part of them is seen
function roomAboveZero(low: number | null, high: number | null, noise: number): [number, number] {
  const [a, b] = [Math.min(0, low ?? 0), Math.max(0, high ?? 0)];
  if (b > a && b - a < noise) return [0, noise];
  return b > a ? [1.06 * a, 1.06 * b] : [0, 1];
}

export class TimePlot {
  static readonly all: TimePlot[] = [];  // of the page
  readonly element = el("div", { class: "plot" });
  private plot: uPlot | null = null;
  private head = el("div", { class: "playhead" });
  private curves: Curve[] = [];

  constructor(private run: Run, private player: Player, private options: TimePlotOptions) {
    TimePlot.all.push(this);
    player.listen(() => this.moveHead());
    player.listenWindow(() => this.follow());
    player.listenData(() => this.refresh());
    onTheme(() => this.build());
    new ResizeObserver(() => this.resize()).observe(this.element);
  }

  set(curves: Curve[]): void {
    this.curves = curves;
    this.build();
  }

  private units(): string[] {
    return [...new Set(this.curves.map((c) => c.unit))];
  }

  private axis(unit: string, side: 1 | 3): uPlot.Axis {
    const p = palette(), states = this.options.states;
    return {
      scale: unit || "1", side, stroke: p.muted, grid: { stroke: p.line, width: 1, show: side === 3 },
      ticks: { show: false }, size: 54, gap: 4, font: "11px system-ui, sans-serif",
      label: states ? undefined : unit ? `[${unit}]` : undefined, labelSize: 16, labelFont: "11px system-ui, sans-serif",
      splits: this.options.log ? (_, __, min, max) => decades(min, max) : undefined,
      filter: this.options.log ? (_, splits) => splits : undefined,
      values: (_, ticks) => ticks.map((v) => this.options.log ? power(v) : (states ? states[v] ?? "" : v === null ? "" : num(v, 4)
        .replace(/(\.\d*?)0+(?=$|·)/, "$1").replace(/\.(?=$|·)/, ""))),
    };
  }

  private series(): uPlot.Series[] {
    const p = palette();
    return this.curves.map((c, i) => {
      const colour = p.curves[(c.colour ?? i) % p.curves.length];
      return {
        label: c.label, scale: c.unit || "1", pxAlign: 0,  // whole pixels would make stairs of gentle slopes
        stroke: c.dashed ? p.ink : colour, width: c.dashed ? 1.5 : 1.6,
        dash: c.dashed ? [5, 4] : undefined, points: { show: this.run.rows < 2 },
        paths: c.steps ? uPlot.paths.stepped?.({ align: -1 }) : undefined,
        fill: c.fill ? faded(colour, 0.35) : undefined,
      };
    });
  }

  private data(): uPlot.AlignedData {
    return [this.run.t as never, ...this.curves.map((c) => c.values() as never)];
  }

  // What is not seen is not drawn
  private refresh(): void {
    if (!this.plot || !this.element.offsetParent) return;
    this.plot.setData(this.data(), true);
    this.follow();  // uPlot has gone back to the window that it had
  }

  private build(): void {
    this.plot?.destroy();
    this.plot = null;
    this.element.replaceChildren();
    const width = this.element.clientWidth;
    if (width < 60 || !this.curves.length) return;
    const p = palette(), units = this.units(), [a, b] = this.player.window;
    const scales: uPlot.Scales = { x: { time: false, min: a, max: b, auto: false } };
    for (const u of units) scales[u || "1"] = this.options.log ? { distr: 3 } : this.options.states
      ? { range: [-0.3, this.options.states.length - 0.7] } : { range: (_, low, high) => (this.options.stacked ? roomAboveZero : roomFor)(low, high, noiseOf(this.run, u)) };
    const bands: uPlot.Band[] = [];
    if (this.options.stacked) {
      const filled = this.curves.map((c, i) => (c.fill ? i + 1 : 0)).filter((i) => i > 0);
      for (let k = 1; k < filled.length; k++) bands.push({ series: [filled[k], filled[k - 1]] });
    }
    this.plot = new uPlot({
      width, height: this.options.height, scales, bands,
      legend: { show: false },
      cursor: { y: false, points: { show: false }, drag: { x: true, y: false, setScale: false } },
      axes: [
        { stroke: p.muted, grid: { stroke: p.line, width: 1 }, ticks: { show: false }, size: 26,
          font: "11px system-ui, sans-serif",
          values: (_, ticks) => ticks.map((v, i) => (i === ticks.length - 1 ? `${v} s` : String(v))) },
        this.axis(units[0], 3), ...(units.length > 1 ? [this.axis(units[1], 1)] : []),
      ],
      series: [{}, ...this.series()],
      hooks: {
        draw: [() => this.moveHead()],  // scales are set late: only then it is known where the present is
        setSelect: [(u) => {
          if (u.select.width < 4) return;
          const from = u.posToVal(u.select.left, "x"), to = u.posToVal(u.select.left + u.select.width, "x");
          u.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
          this.player.setWindow(from, to);
        }],
      },
    }, this.data(), this.element);
    this.plot.over.append(this.head);
    this.handleMouse(this.plot);
    this.moveHead();
  }

  private handleMouse(u: uPlot): void {
    let down = 0;
    u.over.addEventListener("mousedown", (e) => { down = e.clientX; });
    u.over.addEventListener("click", (e) => {
      if (Math.abs(e.clientX - down) > 3) return;
      this.player.pause();
      this.player.seek(u.posToVal(e.offsetX, "x"));
    });
    u.over.addEventListener("dblclick", () => this.player.setWindow(...this.player.whole));
  }

  private resize(): void {
    const width = this.element.clientWidth;
    if (!this.plot) this.build();
    else if (width > 60 && Math.abs(width - this.plot.width) > 1) {
      this.plot.setSize({ width, height: this.options.height });
      this.moveHead();
    }
  }

  private follow(): void {
    const [min, max] = this.player.window;
    this.plot?.setScale("x", { min, max });
    this.moveHead();
  }

  private moveHead(): void {
    if (!this.plot) return;
    const x = this.plot.valToPos(this.player.t, "x"), width = this.plot.bbox.width / devicePixelRatio;
    const inside = x >= -1 && x <= width + 1;
    if (this.head.hidden === inside) this.head.hidden = !inside;
    this.head.style.transform = `translateX(${x}px)`;
  }
}
