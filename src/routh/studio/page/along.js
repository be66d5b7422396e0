// Fields: how many functions they have, and shapes along the body.
import { html, useEffect, useMemo, useRef } from "./vendor/preact.js";
import { set, useStore } from "./store.js";
import { series } from "./plots.js";

const MOST = { functions: 24, elements: 60 };

/** A slider for the number of functions or elements of each field. */
export function FieldSizes() {
  const fields = useStore(s => s.model?.fields), sizes = useStore(s => s.sizes);
  if (!fields?.length) return null;
  return html`<section class="sizes" aria-label="number of functions">${fields.map(field => {
    const count = sizes[field.name] ?? field.count, what = field.kind === "elements" ? "elements" : "functions";
    const change = e => set({ sizes: { ...sizes, [field.name]: +e.target.value } });
    return html`<label key=${field.name}><span><code>${field.name}</code> along <code>${field.space}</code></span>
      <input type="range" min="1" max=${Math.max(MOST[field.kind] || 24, count)} step="1" value=${count} aria-label=${`${what} of ${field.name}`} aria-valuetext=${`${count} ${what}`} onChange=${change}
        onInput=${e => { e.target.nextElementSibling.textContent = `${e.target.value} ${what}`; }} />
      <output>${count} ${what}</output></label>`;
  })}</section>`;
}

/** Shapes of fields along a body, moving: re cos(ωt) − im sin(ωt) with the time of the clock. */
export function Along({ fields, clock, amplitude, number, height = 110 }) {
  const place = useRef(null), width = 240, { s } = fields[0];
  const { top, low, high } = useMemo(() => ({ top: Math.max(1e-12, ...fields.flatMap(f => f.re.map((x, k) => Math.hypot(x, f.im[k])))), low: Math.min(...s), high: Math.max(...s) }), [fields]);
  const path = ({ re, im }, turn) => re.map((x, k) => {
    const w = (x * Math.cos(turn) - im[k] * Math.sin(turn)) / top;
    return `${k ? "L" : "M"}${(10 + (width - 20) * (s[k] - low) / (high - low || 1)).toFixed(1)} ${(height / 2 - 0.28 * height * Math.min(1.6, amplitude) * w).toFixed(1)}`;
  }).join("");
  useEffect(() => clock.on(({ time, first, last }) => {
    const turn = 2 * Math.PI * (time - first) / (last - first || 1);
    fields.forEach((field, k) => place.current?.children[k]?.setAttribute("d", path(field, turn)));
  }), [clock, fields, amplitude]);
  const still = fields.every(f => f.re.every(x => Math.abs(x) < 1e-9) && f.im.every(x => Math.abs(x) < 1e-9));
  return html`<svg class="along" viewBox=${`0 0 ${width} ${height}`} role="img" aria-label=${`shape ${number + 1} along the body: ${fields.map(f => f.name).join(", ")}${still ? ", at rest" : ""}`}>
    <path class="axis" d=${`M10 ${height / 2}H${width - 10}`} />
    ${fields.map(f => html`<path class="ghost" d=${path(f, 0)} /><path class="ghost" d=${path(f, Math.PI)} />`)}
    <g ref=${place}>${fields.map((f, k) => html`<path key=${f.name} d=${path(f, 0)} class="moving" style=${{ stroke: series(number + k) }} />`)}</g>
    ${fields.map((f, k) => html`<text x=${width - 8} y=${12 + 13 * k} text-anchor="end" style=${{ fill: series(number + k) }}>${f.name}(${f.space})</text>`)}
  </svg>`;
}
