// A light chart of our own in SVG: it is drawn anew within a frame, so that it follows a hand on a slider.
import { html, useEffect, useMemo, useRef, useState } from "./vendor/preact.js";
import { decades, ticks, written } from "./numbers.js";

const LEFT = 54, RIGHT = 10, TOP = 10, BOTTOM = 34;

/** The width of an element, as it changes. */
function useWidth() {
  const place = useRef(null), [width, measure] = useState(0);
  useEffect(() => {
    const sized = new ResizeObserver(entries => measure(Math.round(entries[0].contentRect.width)));
    sized.observe(place.current);
    return () => sized.disconnect();
  }, []);
  return [place, width];
}

function extent(lists, { log, range, include = [], margin = 0.05 }) {
  if (range) return range;
  let low = Infinity, high = -Infinity;
  const take = x => { if (x !== null && Number.isFinite(x) && (!log || x > 0)) { if (x < low) low = x; if (x > high) high = x; } };
  for (const list of lists) for (const x of list) take(x);
  include.forEach(take);
  if (low > high) return log ? [0.1, 10] : [-1, 1];
  if (log) return low === high ? [low / 3, high * 3] : [low, high];
  const span = high - low, about = Math.max(Math.abs(low), Math.abs(high));
  if (span <= 1e-9 * about || span === 0) { const room = 0.1 * about || 1; return [low - room, high + room]; }
  return [low - margin * span, high + margin * span];
}

function scale([low, high], start, end, log) {
  if (log) { const a = Math.log10(low), b = Math.log10(high); return { to: x => start + (end - start) * (Math.log10(x) - a) / (b - a), from: p => 10 ** (a + (b - a) * (p - start) / (end - start)) }; }
  return { to: x => start + (end - start) * (x - low) / (high - low), from: p => low + (high - low) * (p - start) / (end - start) };
}

/** One unit is as long across as upright. */
function squared(x, y, wide, tall) {
  const w = x[1] - x[0], h = y[1] - y[0], unit = Math.max(w / wide, h / tall);
  const grow = ([low, high], by) => [(low + high - by) / 2, (low + high + by) / 2];
  return [grow(x, unit * wide), grow(y, unit * tall)];
}

/** A path through samples; where more lie on a pixel than are seen, the lowest and highest of each stay. */
function path(xs, ys, x, y, log) {
  let words = "", pen = false;
  const put = (a, b) => { words += `${pen ? "L" : "M"}${a.toFixed(1)} ${b.toFixed(1)}`; pen = true; };
  const many = xs.length > 4000;
  let column = null, low = null, high = null;
  const flush = () => { if (column !== null) { put(column, low); if (high !== low) put(column, high); } column = null; };
  for (let k = 0; k < xs.length; k++) {
    const v = ys[k], u = xs[k];
    if (v === null || u === null || !Number.isFinite(v) || (log.y && v <= 0) || (log.x && u <= 0)) { flush(); pen = false; continue; }
    const a = x.to(u), b = Math.max(-4000, Math.min(4000, y.to(v)));
    if (!many) { put(a, b); continue; }
    const here = Math.round(a);
    if (here !== column) { flush(); column = here; low = high = b; } else { low = Math.min(low, b); high = Math.max(high, b); }
  }
  flush();
  return words;
}

/** Samples that belong to no line, as dots. */
function sprinkled(xs, ys, x, y) {
  let words = "";
  xs.forEach((u, k) => { if (u !== null && ys[k] !== null) words += `M${x.to(u).toFixed(1)} ${y.to(ys[k]).toFixed(1)}h0`; });
  return words;
}

const MARKS = {
  dot: (r = 4) => `M${-r} 0a${r} ${r} 0 1 0 ${2 * r} 0a${r} ${r} 0 1 0 ${-2 * r} 0`,
  cross: (r = 5) => `M${-r} ${-r}L${r} ${r}M${-r} ${r}L${r} ${-r}`,
  plus: (r = 7) => `M${-r} 0H${r}M0 ${-r}V${r}`,
  square: (r = 4) => `M${-r} ${-r}H${r}V${r}H${-r}Z`,
  diamond: (r = 5.5) => `M0 ${-r}L${r} 0L0 ${r}L${-r} 0Z`,
};

function nearest(lines, x, y, [px, py]) {
  let best = null, least = 30 ** 2;
  for (const line of lines) for (let k = 0; k < line.x.length; k++) {
    if (line.quiet || line.y[k] === null) continue;
    const d = (x.to(line.x[k]) - px) ** 2 + (y.to(line.y[k]) - py) ** 2;
    if (d < least) { least = d; best = { x: line.x[k], y: line.y[k], name: typeof line.name === "function" ? line.name(k) : line.name, colour: line.colour }; }
  }
  return best;
}

/** Lines and marks over two axes.
 *
 * `x`, `y`: {label, log, range, include, words (of a tick)}; `lines`: [{x, y, colour, dash, width, name, quiet}]; `marks`: [{x, y, colour, mark, name, hollow, onpick}].
 * `onpick(x, y, far)`: a click on the plane, or Enter at the cross that arrow keys move; `far(x, y, u, v)` are the pixels between two places. `clock`: a line (or, with `dots`, points) at its time.
 * A box drawn with the mouse is looked at nearer, a double click or 0 goes back.
 */
export function Chart({ x: xAxis, y: yAxis, lines = [], marks = [], height = 240, equal = false, label, onpick, clock, dots, picture, zero = true, children }) {
  const [place, width] = useWidth(), [zoomed, zoom] = useState(null), [hover, point] = useState(null), [box, pull] = useState(null), [cross, move] = useState(null);
  const area = { left: LEFT, right: Math.max(LEFT + 40, width - RIGHT), top: TOP, bottom: height - BOTTOM };
  const plane = useMemo(() => {
    let xr = zoomed?.x || extent([...lines.map(l => l.x), marks.map(m => m.x)], xAxis), yr = zoomed?.y || extent([...lines.map(l => l.y), marks.map(m => m.y)], yAxis);
    if (equal && !zoomed) [xr, yr] = squared(xr, yr, area.right - area.left, area.bottom - area.top);
    return { xr, yr, x: scale(xr, area.left, area.right, xAxis.log), y: scale(yr, area.bottom, area.top, yAxis.log) };
  }, [lines, marks, xAxis.range, yAxis.range, width, height, zoomed]);
  const { x, y, xr, yr } = plane, id = useMemo(() => `clip${Math.random().toString(36).slice(2)}`, []);
  const drawn = useMemo(() => lines.map(l => (l.dots ? sprinkled(l.x, l.y, x, y) : path(l.x, l.y, x, y, { x: xAxis.log, y: yAxis.log }))), [lines, plane]);
  const xt = xAxis.log ? decades(...xr, Math.max(2, (area.right - area.left) / 70)) : ticks(...xr, Math.max(2, (area.right - area.left) / 80)).at;
  const yt = yAxis.log ? decades(...yr, Math.max(2, (area.bottom - area.top) / 34)) : ticks(...yr, Math.max(2, (area.bottom - area.top) / 38)).at;
  const here = e => { const r = place.current.getBoundingClientRect(); return [e.clientX - r.left, e.clientY - r.top]; };
  const inside = ([a, b]) => a >= area.left && a <= area.right && b >= area.top && b <= area.bottom;

  const far = (a, b, c, d) => Math.hypot(x.to(a) - x.to(c), y.to(b) - y.to(d));   // pixels between two places

  const down = e => { if (e.button === 0 && inside(here(e)) && e.pointerType === "mouse") pull({ from: here(e), to: here(e) }); };
  const over = e => {
    const p = here(e);
    if (box) pull({ ...box, to: p });
    point(inside(p) ? nearest(lines, x, y, p) || (onpick ? { x: x.from(p[0]), y: y.from(p[1]), plain: true } : null) : null);
  };
  const up = e => {
    const p = here(e), drag = box && Math.hypot(p[0] - box.from[0], p[1] - box.from[1]) > 8;
    if (drag) {
      const [a, b] = [box.from, p], ordered = (u, v) => (u < v ? [u, v] : [v, u]);
      zoom({ x: ordered(x.from(Math.min(a[0], b[0])), x.from(Math.max(a[0], b[0]))), y: ordered(y.from(Math.max(a[1], b[1])), y.from(Math.min(a[1], b[1]))) });
    } else if (onpick && inside(p) && !e.target.closest(".pick")) onpick(x.from(p[0]), y.from(p[1]), far);
    pull(null);
  };
  const key = e => {
    if (e.target !== e.currentTarget) return;
    if (e.key === "0" || e.key === "Escape") { zoom(null); move(null); return; }
    const [dx, dy] = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[e.key] || [0, 0];
    if (onpick && (dx || dy)) {
      e.preventDefault();
      const [a, b] = cross || [(area.left + area.right) / 2, (area.top + area.bottom) / 2], by = e.shiftKey ? 24 : 6;
      move([Math.max(area.left, Math.min(area.right, a + by * dx)), Math.max(area.top, Math.min(area.bottom, b + by * dy))]);
    }
    if (onpick && e.key === "Enter" && cross) onpick(x.from(cross[0]), y.from(cross[1]), far);
  };
  const told = cross ? { x: x.from(cross[0]), y: y.from(cross[1]), plain: true } : hover;
  return html`<div class="chart" ref=${place} style=${{ height: `${height}px` }}>
    ${width > 0 && html`<svg width=${width} height=${height} role=${onpick ? "application" : marks.some(each => each.onpick) ? "group" : "img"} aria-label=${label} tabindex="0"
        onPointerDown=${down} onPointerMove=${over} onPointerUp=${up} onPointerLeave=${() => { point(null); pull(null); }} onDblClick=${() => zoom(null)} onKeyDown=${key}
        class=${onpick ? "pickable" : ""}>
      <clipPath id=${id}><rect x=${area.left} y=${area.top} width=${area.right - area.left} height=${area.bottom - area.top} /></clipPath>
      ${picture && html`<g clip-path=${`url(#${id})`}>${picture({ x, y, xr, yr })}</g>`}
      <g class="grid">
        ${xt.map(v => html`<line x1=${x.to(v)} x2=${x.to(v)} y1=${area.top} y2=${area.bottom} class=${zero && v === 0 ? "zero" : ""} />`)}
        ${yt.map(v => html`<line y1=${y.to(v)} y2=${y.to(v)} x1=${area.left} x2=${area.right} class=${zero && v === 0 ? "zero" : ""} />`)}
      </g>
      <rect class="frame" x=${area.left} y=${area.top} width=${area.right - area.left} height=${area.bottom - area.top} />
      <g class="ticks">
        ${xt.map(v => html`<text x=${x.to(v)} y=${area.bottom + 14} text-anchor="middle">${(xAxis.words || tick)(v, xt)}</text>`)}
        ${yt.map(v => html`<text x=${area.left - 6} y=${y.to(v) + 3.5} text-anchor="end">${(yAxis.words || tick)(v, yt)}</text>`)}
      </g>
      <text class="axis" x=${(area.left + area.right) / 2} y=${height - 4} text-anchor="middle">${xAxis.label}</text>
      <text class="axis" transform=${`translate(11 ${(area.top + area.bottom) / 2}) rotate(-90)`} text-anchor="middle">${yAxis.label}</text>
      <g clip-path=${`url(#${id})`} class="lines">
        ${lines.map((l, k) => html`<path d=${drawn[k]} style=${{ stroke: l.colour }} stroke-width=${l.width || (l.dots ? 3.2 : 1.6)} stroke-dasharray=${l.dash || null} opacity=${l.pale ? 0.5 : 1} />`)}
        ${marks.map(m => html`<${Mark} ...${m} at=${[x.to(m.x), y.to(m.y)]} shape=${MARKS[m.mark || "dot"](m.size)} />`)}
        ${children && children({ x, y, area })}
        ${cross && html`<path class="hair" d=${`M${area.left} ${cross[1]}H${area.right}M${cross[0]} ${area.top}V${area.bottom}`} />`}
        ${clock && html`<${Cursor} clock=${clock} x=${x} y=${y} area=${area} dots=${dots} />`}
        ${box && html`<rect class="box" x=${Math.min(box.from[0], box.to[0])} y=${Math.min(box.from[1], box.to[1])} width=${Math.abs(box.to[0] - box.from[0])} height=${Math.abs(box.to[1] - box.from[1])} />`}
        ${hover && !hover.plain && html`<circle class="near" cx=${x.to(hover.x)} cy=${y.to(hover.y)} r="4.5" style=${{ stroke: hover.colour }} />`}
      </g>
    </svg>`}
    ${told && html`<div class="told" aria-live="polite">${told.name ? html`<b style=${{ color: told.colour }}>${told.name}</b> ` : ""}${written(told.x)}, ${written(told.y)}</div>`}
    ${zoomed && html`<button type="button" class="whole" onClick=${() => zoom(null)}>whole</button>`}
  </div>`;
}

const tick = (v, all) => {
  const large = Math.max(...all.map(Math.abs));
  return Math.abs(v) < 1e-9 * large ? "0" : written(v, 5);
};

function Mark({ at: [a, b], shape, colour, hollow, name, onpick, mark }) {
  if (!Number.isFinite(a) || !Number.isFinite(b)) return null;
  const open = hollow || mark === "cross" || mark === "plus";
  const look = html`<path d=${shape} style=${open ? { stroke: colour, fill: hollow ? "var(--paper)" : "none", strokeWidth: 1.8 } : { fill: colour, stroke: "var(--paper)", strokeWidth: 1 }} />`;
  const place = `translate(${a.toFixed(1)} ${b.toFixed(1)})`;
  if (!onpick) return html`<g transform=${place} class="spot">${look}${name && html`<title>${name}</title>`}</g>`;
  const key = e => { if (e.key === "Enter" || e.key === " ") { e.preventDefault(); e.stopPropagation(); onpick(); } };
  return html`<g transform=${place} class="spot pick" tabindex="0" role="button" aria-label=${name} onClick=${e => { e.stopPropagation(); onpick(); }} onKeyDown=${key}>
    <circle r="11" class="reach" />${look}<title>${name}</title></g>`;
}

/** Where the clock is: a line across, or points that `dots(time)` places; moved without drawing the chart anew. */
function Cursor({ clock, x, y, area, dots }) {
  const place = useRef(null);
  useEffect(() => clock.on(({ time }) => {
    if (!place.current) return;
    if (!dots) { const a = x.to(time); place.current.firstChild.setAttribute("d", `M${a} ${area.top}V${area.bottom}`); return; }
    dots(time).forEach(([u, v], k) => {
      const each = place.current.children[k];
      if (each) { each.setAttribute("cx", x.to(u)); each.setAttribute("cy", y.to(v)); }
    });
  }), [clock, x, y, dots]);
  if (!dots) return html`<g ref=${place}><path class="cursor" /></g>`;
  return html`<g ref=${place}>${dots(clock.time).map((_, k) => html`<circle class="cursor dot" r="5" style=${{ fill: k ? "var(--orange)" : "var(--blue)" }} />`)}</g>`;
}

/** Names and colours of lines, each of which may be shown or not. */
export function Legend({ entries, ontoggle }) {
  return html`<ul class="legend">${entries.map((entry, k) => {
    const line = html`<svg width="18" height="10" aria-hidden="true"><path d=${entry.mark ? "M9 1a4 4 0 1 0 .01 0Z" : "M0 5H18"} style=${entry.mark ? { fill: entry.colour } : { stroke: entry.colour, strokeWidth: 2, strokeDasharray: entry.dash || "none" }} /></svg>`;
    if (!ontoggle) return html`<li>${line} ${entry.words}</li>`;
    return html`<li><button type="button" class="toggle" aria-pressed=${!entry.off} onClick=${() => ontoggle(k)}>${line} ${entry.words}</button></li>`;
  })}</ul>`;
}
