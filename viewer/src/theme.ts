// Light and dark: the colours of canvases follow those of the style sheet.
import { wish } from "./wishes";

export interface Palette {
  ink: string; muted: string; line: string; paper: string; panel: string; accent: string;
  states: string[]; kinds: string[]; curves: string[]; bodies: string[];
  named: Record<string, string>;
}

const listeners: (() => void)[] = [];

export function isDark(): boolean {
  return document.documentElement.dataset.theme === "dark";
}

function remember(value: string): void {
  try { localStorage.setItem("stickslip-theme", value); } catch { /* pages from file:// may not store anything */ }
}

function remembered(): string | null {
  try { return localStorage.getItem("stickslip-theme"); } catch { return null; }
}

export function initTheme(): void {
  const wanted = wish("theme") ?? remembered();
  const dark = wanted ? wanted === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  document.documentElement.dataset.theme = dark ? "dark" : "light";
}

export function toggleTheme(): void {
  const next = isDark() ? "light" : "dark";
  document.documentElement.dataset.theme = next;
  remember(next);
  for (const f of listeners) f();
}

export function onTheme(f: () => void): void { listeners.push(f); }

const LIGHT: Palette = {
  ink: "#1b2330", muted: "#647084", line: "#dfe3ea", paper: "#f6f7f9", panel: "#ffffff", accent: "#1d5fd1",
  states: ["#9aa4b2", "#1a8f4c", "#e08a00", "#7a3fc4", "#1d5fd1", "#e08a00"],
  kinds: ["#c81e3a", "#6b7688", "#1a8f4c", "#d9731a", "#7c3aed", "#0e7490"],
  curves: ["#1d5fd1", "#d9480f", "#1a8f4c", "#9c36b5", "#0c8599", "#b58105", "#e03177", "#495057"],
  bodies: ["#6b9be0", "#e79a63", "#74bb8d", "#b98fd0", "#62b8bd", "#dfbf63", "#e090b0", "#97a4b5"],
  named: {
    ink: "#232b38", grey: "#8a94a3", light: "#d4dae2", paper: "#ffffff", wood: "#c99a5b", steel: "#7f8ea3",
    red: "#d03a3a", orange: "#ee8a2f", yellow: "#efb92b", green: "#3f9a5b", blue: "#3b78d8", purple: "#8a5bd0",
    none: "transparent",
  },
};

const DARK: Palette = {
  ink: "#e6eaf1", muted: "#98a3b5", line: "#2c3442", paper: "#12161d", panel: "#1a1f29", accent: "#6ea8ff",
  states: ["#647084", "#3fc47a", "#ffb340", "#b58cff", "#6ea8ff", "#ffb340"],
  kinds: ["#ff5c77", "#98a3b5", "#3fc47a", "#ff9d4d", "#b794ff", "#22b8cf"],
  curves: ["#6ea8ff", "#ff8a4c", "#4fd18b", "#d59bf6", "#4dd0e1", "#f2c14e", "#ff7eb6", "#adb5bd"],
  bodies: ["#6f9fe6", "#e8a06c", "#78c293", "#c098d8", "#68c0c6", "#e2c46c", "#e698b8", "#a2afc0"],
  named: {
    ink: "#aab4c3", grey: "#7c8798", light: "#39424f", paper: "#1a1f29", wood: "#b0824a", steel: "#8496ae",
    red: "#e05656", orange: "#f09a4a", yellow: "#eec04a", green: "#4fae70", blue: "#5a94ee", purple: "#a37be0",
    none: "transparent",
  },
};

export function palette(): Palette { return isDark() ? DARK : LIGHT; }

export function colour(name: string | undefined, fallback: string): string {
  if (!name) return fallback;
  return palette().named[name] ?? (/^#[0-9a-f]{6}$/i.test(name) ? name : fallback);
}

// Sizes of canvases. To ask for them each time would make the browser lay out the page again in the midst of an update.
const sizes = new WeakMap<Element, [number, number]>();
const watcher = new ResizeObserver((entries) => {
  for (const e of entries) sizes.set(e.target, [e.contentRect.width, e.contentRect.height]);
});

export function sizeOf(canvas: HTMLCanvasElement): [number, number] {
  let size = sizes.get(canvas);
  if (!size) {
    size = [canvas.clientWidth, canvas.clientHeight];
    if (canvas.isConnected) {
      sizes.set(canvas, size);
      watcher.observe(canvas);
    }
  }
  return size;
}

/** A canvas that is as sharp as the screen. Returns its context, scaled to CSS pixels; null if it has no size. */
export function sharp(canvas: HTMLCanvasElement): { c: CanvasRenderingContext2D; w: number; h: number } | null {
  const [w, h] = sizeOf(canvas), k = Math.min(3, window.devicePixelRatio || 1);
  if (w < 2 || h < 2) return null;
  const pw = Math.round(w * k), ph = Math.round(h * k);
  if (canvas.width !== pw || canvas.height !== ph) {
    canvas.width = pw;
    canvas.height = ph;
  }
  const c = canvas.getContext("2d");
  if (!c) return null;
  c.setTransform(k, 0, 0, k, 0, 0);
  c.clearRect(0, 0, w, h);
  return { c, w, h };
}
