// Numbers and names as people read them.

const GREEK: Record<string, string> = {
  alpha: "α", beta: "β", gamma: "γ", delta: "δ", epsilon: "ε", eps: "ε", zeta: "ζ", eta: "η", theta: "θ", kappa: "κ",
  lambda: "λ", mu: "μ", nu: "ν", xi: "ξ", pi: "π", rho: "ρ", sigma: "σ", tau: "τ", phi: "φ", chi: "χ", psi: "ψ",
  omega: "ω", Gamma: "Γ", Delta: "Δ", Theta: "Θ", Lambda: "Λ", Phi: "Φ", Psi: "Ψ", Omega: "Ω",
};

const WORDS: Record<string, string> = {
  "energy.kinetic": "kinetic energy", "energy.potential": "potential energy",
  "energy.work_forces": "work of forces", "energy.work_drive": "work of drives",
  "energy.loss_normal": "lost in impacts", "energy.loss_friction": "lost in friction",
  "energy.work_projection": "added by projection", "energy.defect": "defect of the integrator",
};

export function num(x: number, digits = 4): string {
  if (Number.isNaN(x)) return "–";
  if (!Number.isFinite(x)) return x > 0 ? "∞" : "−∞";
  if (x === 0) return "0";
  const a = Math.abs(x);
  const text = a >= 1e5 || a < 1e-3 ? x.toExponential(digits - 1) : x.toPrecision(digits);
  return text.replace(/e\+?(-?)(\d+)$/, (_, sign, e) => "·10" + superscript(sign + e)).replace(/^-/, "−");
}

/** A count, in groups of three digits: "165 341". */
export function whole(n: number): string {
  return String(n).replace(/\B(?=(\d{3})+$)/g, "\u00a0");
}

function superscript(text: string): string {
  return [...text].map((c) => (c === "-" ? "⁻" : "⁰¹²³⁴⁵⁶⁷⁸⁹"[Number(c)])).join("");
}

// phi_M is a letter with an index, x1 too; "hinge12" and "front_left" are words
function split(name: string): [string, string] {
  const m = /^([A-Za-z]+?)(\d*)(?:_(.+))?$/.exec(name);
  if (!m || (m[1].length > 1 && !GREEK[m[1]] && !/^(gamma|Lambda|gap|state|point|status)$/.test(m[1]))) return [name, ""];
  return [GREEK[m[1]] ?? m[1], [m[2], m[3]].filter((x) => x).join(",")];
}

/** A symbol and its subscript; the rate of a coordinate gets its dot. */
function symbol(name: string, rates: string[]): [string, string, string] {
  const dot = name.indexOf(".");
  if (name.startsWith("u_") && rates.includes(name.slice(2))) {
    const of = name.slice(2), [head, tail] = split(of);
    if (of.includes(".")) return [of.replace(".", " "), "", ""];  // a velocity by its own name: "ball vx"
    return head.length === 1 ? [head + "\u0307", tail, ""] : [`d${of}/dt`, "", ""];
  }
  if (dot > 0) {
    const [head, tail] = split(name.slice(0, dot));
    return [head, tail, " " + name.slice(dot + 1)];
  }
  const [head, tail] = split(name);
  return [head, tail, ""];
}

/** Plain text, for canvases and lists: "φ_M". */
export function plain(name: string, rates: string[]): string {
  if (WORDS[name]) return WORDS[name];
  const [head, tail, rest] = symbol(name, rates);
  return head + (tail ? "_" + tail : "") + rest;
}

/** In lists, where a dot above a letter may be lost. */
export function listed(name: string, rates: string[]): string {
  return name.startsWith("u_") && rates.includes(name.slice(2)) && !name.includes(".") ? `d${plain(name.slice(2), rates)}/dt`
    : plain(name, rates);
}

/** The same as elements, with subscripts. */
export function rich(name: string, rates: string[]): HTMLElement {
  const span = document.createElement("span");
  if (WORDS[name]) {
    span.textContent = WORDS[name];
    return span;
  }
  const [head, tail, rest] = symbol(name, rates);
  span.append(head);
  if (tail) {
    const sub = document.createElement("sub");
    sub.textContent = tail;
    span.append(sub);
  }
  span.append(rest);
  return span;
}

/** Steps of an axis: 1, 2 or 5 times a power of ten, about n of them in the span. */
export function niceStep(span: number, n: number): number {
  if (!(span > 0)) return 1;
  const raw = span / Math.max(1, n), power = Math.pow(10, Math.floor(Math.log10(raw)));
  const m = raw / power;
  return (m > 5 ? 10 : m > 2 ? 5 : m > 1 ? 2 : 1) * power;
}

export function tick(x: number, step: number): string {
  const digits = Math.max(0, Math.min(12, -Math.floor(Math.log10(step) + 1e-9)));
  if (Math.abs(x) < step * 1e-6) return "0";
  if (digits > 6) return num(x, 3).replace(/\.?0+(?=·)/, "");
  return x.toFixed(digits).replace(/^-/, "−");
}

/** Sets the text of an element. The node of the text is kept: a new one would cost the browser more than the text does. */
export function put(e: Element, text: string): void {
  const node = e.firstChild;
  if (!(node instanceof Text) || node.nextSibling) e.textContent = text;
  else if (node.data !== text) node.data = text;
}

type Child = Node | string | null | undefined;

export function el<K extends keyof HTMLElementTagNameMap>(
  tag: K, attrs: Record<string, string> = {}, ...children: Child[]
): HTMLElementTagNameMap[K] {
  const e = document.createElement(tag);
  for (const [key, value] of Object.entries(attrs)) e.setAttribute(key, value);
  for (const c of children) if (c !== null && c !== undefined) e.append(c);
  return e;
}
