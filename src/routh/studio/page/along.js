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

/** A shape along a body, moving: w(s) times the cosine of the clock. */
export function Along({ along, clock, amplitude, number, height = 110 }) {
  const place = useRef(null), width = 240, s = along.s, shapes = Object.entries(along.w);
  const { top, low, high } = useMemo(() => ({ top: Math.max(1e-12, ...shapes.flatMap(([, w]) => w.map(Math.abs))), low: Math.min(...s), high: Math.max(...s) }), [along]);
  const path = (w, factor) => w.map((y, k) => `${k ? "L" : "M"}${(10 + (width - 20) * (s[k] - low) / (high - low || 1)).toFixed(1)} ${(height / 2 - 0.42 * height * Math.min(1, amplitude) * factor * y / top).toFixed(1)}`).join("");
  useEffect(() => clock.on(({ time, first, last }) => {
    const turn = Math.cos(2 * Math.PI * (time - first) / (last - first || 1));
    shapes.forEach(([, w], k) => place.current?.children[k]?.setAttribute("d", path(w, turn)));
  }), [clock, along, amplitude]);
  return html`<svg class="along" viewBox=${`0 0 ${width} ${height}`} role="img" aria-label=${`shape ${number + 1} along the body: ${shapes.map(([name]) => name).join(", ")}`}>
    <path class="axis" d=${`M10 ${height / 2}H${width - 10}`} />
    ${shapes.map(([, w]) => html`<path class="ghost" d=${path(w, 1)} /><path class="ghost" d=${path(w, -1)} />`)}
    <g ref=${place}>${shapes.map(([name, w], k) => html`<path key=${name} d=${path(w, 1)} class="moving" style=${{ stroke: series(number + k) }} />`)}</g>
    ${shapes.map(([name], k) => html`<text x=${width - 8} y=${12 + 13 * k} text-anchor="end" style=${{ fill: series(number + k) }}>${name}</text>`)}
  </svg>`;
}
