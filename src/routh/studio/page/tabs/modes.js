// Small oscillations about the rest one stands on: numbers that follow the sliders, shapes that move.
import { html, useEffect, useMemo, useState } from "../vendor/preact.js";
import { Sentence } from "../sentence.js";
import { useStore } from "../store.js";
import { Result, useAnswer, useSubject } from "../asking.js";
import { Chart, Legend } from "../axes.js";
import { Clock, stillness } from "../clock.js";
import { Copy, Letter } from "../maths.js";
import { complex, printedUnit, written } from "../numbers.js";
import { series } from "../plots.js";
import { Stage } from "../player.js";
import { swollen } from "../tracks.js";
import { FieldSizes, Along } from "../along.js";

const PERIOD = 2.2;         // seconds that one period takes on the screen, however quick it is

export default function Modes({ active }) {
  const { text, values, sizes, ready } = useSubject(), q = useStore(s => s.q);
  const asked = useAnswer("modes", ready ? { text, values, sizes, q, moving: true, sensitivity: true } : null, { active });
  return html`<div class="modes-tab">
    <${FieldSizes} />
    <${Now} answer=${asked.answer} old=${asked.stale || asked.sentence !== null} />
    <${Result} asked=${asked} words="Computing the modes">${asked.answer && html`<${Shapes} answer=${asked.answer} active=${active} /><${Matrices} matrices=${asked.answer.matrices} />`}<//>
  </div>`;
}

/** What follows the hand: the verdict, the table and the plane of the eigenvalues. */
function Now({ answer, old }) {
  const live = useStore(s => s.live), held = useStore(s => s.held), stale = useStore(s => s.liveStale);
  if (!live || live.refused) return null;   // the verdict says why
  return html`<div class=${`now${stale ? " late" : ""}`}>
    <p class="reason"><${Sentence} words=${live.reason || ""} /></p>
    <div class="pair">
      ${live.multipliers?.length > 0 ? html`<${Multipliers} live=${live} held=${held} />` : html`<div><${Table} modes=${live.modes} held=${held?.live} errors=${answer?.field_errors} old=${old} />${answer && html`<div class=${old ? "stale" : ""}><${Sensitivity} answer=${answer} /></div>`}</div>
      <${Plane} live=${live} held=${held} />`}
    </div>
  </div>`;
}

function Table({ modes, held, errors, old }) {
  const beside = held?.modes;
  return html`<div class="scroll"><table class="numbers"><caption class="hidden">modes</caption>
    <thead><tr><th scope="col"><span class="unseen">mode</span></th><th scope="col">ω (rad/s)</th>${!errors && html`<th scope="col" class="spare">period (s)</th>`}<th scope="col" class="spare">damping</th><th scope="col">eigenvalue</th><th scope="col" class="words">kind</th>
      ${errors && html`<th scope="col" title="how far the frequency moves with more functions">error</th>`}${beside && html`<th scope="col" class="held">held</th>`}</tr></thead>
    <tbody>${modes.map((mode, k) => html`<tr key=${k}>
      <th scope="row"><i class="swatch" style=${{ background: series(k) }}></i>${k + 1}</th>
      <td>${written(mode.frequency)}</td>${!errors && html`<td class="spare">${written(mode.period)}</td>`}<td class="spare">${written(mode.damping, 3)}</td><td>${paired(mode)}</td><td class="words">${mode.kind}</td>
      ${errors && html`<td class=${old ? "stale" : ""}>${share(errors[k]?.change)}</td>`}${beside && html`<td class="held">${beside[k] ? paired(beside[k]) : "–"}</td>`}
    </tr>`)}</tbody></table></div>`;
}

/** Both roots of a mode: conjugate ones with ±, real ones one after the other where they differ. */
function paired({ re, im, pair = [[re, im]] }) {
  const [[a, b], second] = pair, small = Math.abs(a) <= 1e-9 * Math.hypot(a, b);
  if (b !== 0 && second) return `${small ? "" : `${written(a)} `}± ${written(Math.abs(b))} i`;
  return [...new Set(pair.map(each => complex(each)))].join(", ");
}

const share = x => (x === null || x === undefined ? "–" : x === 0 ? "0" : `${written(100 * x, 2)} %`);

function Plane({ live, held }) {
  const marks = useMemo(() => [
    ...(held?.live?.eigenvalues || []).map(([x, y]) => ({ x, y, mark: "plus", colour: "var(--orange)", name: `${held.label || "held"}: ${complex([x, y])}` })),
    ...live.eigenvalues.map(([x, y]) => ({ x, y, mark: "cross", colour: x > 1e-9 * (1 + Math.hypot(x, y)) ? "var(--red)" : "var(--blue)", name: complex([x, y]) })),
  ], [live, held]);
  const range = useSteadyRange(marks);
  return html`<figure class="plane"><${Chart} x=${{ label: "Re", range: range.x }} y=${{ label: "Im", range: range.y }} marks=${marks} height=${260} label=${`eigenvalues: ${live.eigenvalues.map(e => complex(e)).join("; ")}`} />
    ${held && html`<${Legend} entries=${[{ words: "now", colour: "var(--blue)", mark: true }, { words: held.label || "held", colour: "var(--orange)", mark: true }]} />`}</figure>`;
}

/** Floquet: what a small disturbance is multiplied by in a period, against the unit circle. */
function Multipliers({ live, held }) {
  const size = m => Math.hypot(...m), marks = useMemo(() => [
    ...(held?.live?.multipliers || []).map(([x, y]) => ({ x, y, mark: "plus", colour: "var(--orange)", name: `${held.label}: ${complex([x, y])}` })),
    ...live.multipliers.map(m => ({ x: m[0], y: m[1], mark: "cross", colour: size(m) > 1 + 1e-6 ? "var(--red)" : "var(--blue)", name: complex(m) })),
  ], [live, held]);
  const reach = Math.max(1.15, 1.1 * Math.max(...marks.map(m => Math.hypot(m.x, m.y)))), range = useMemo(() => [-reach, reach], [reach]);
  return html`<div class="scroll"><table class="numbers"><thead><tr><th scope="col"><span class="unseen">number</span></th><th scope="col">multiplier</th><th scope="col">size</th></tr></thead>
      <tbody>${live.multipliers.map((m, k) => html`<tr key=${k}><th scope="row">${k + 1}</th><td>${complex(m, 5)}</td><td>${written(size(m), 5)}</td></tr>`)}</tbody></table></div>
    <figure class="plane"><${Chart} x=${{ label: "Re", range }} y=${{ label: "Im", range }} marks=${marks} height=${280} equal label=${`multipliers: ${live.multipliers.map(m => complex(m)).join("; ")}`}>
      ${({ x, y }) => html`<ellipse cx=${x.to(0)} cy=${y.to(0)} rx=${x.to(1) - x.to(0)} ry=${y.to(0) - y.to(1)} style="fill: none; stroke: var(--faint)" />`}<//>
      <figcaption class="note">Stable inside the unit circle.</figcaption></figure>`;
}

/** Axes that grow at once but do not breathe with every move of a slider. */
function useSteadyRange(marks) {
  const [kept, keep] = useState({ x: [-1, 1], y: [-1, 1] });
  const reach = k => Math.max(1e-9, ...marks.map(m => Math.abs(k ? m.y : m.x)));
  const tall = Math.max(reach(1), 0.15 * reach(0)), wide = Math.max(reach(0), 0.15 * reach(1));
  const fits = (range, size) => size <= 0.98 * range[1] && size >= 0.45 * range[1];
  const next = { x: fits(kept.x, wide) ? kept.x : [-1.3 * wide, 1.3 * wide], y: fits(kept.y, tall) ? kept.y : [-1.3 * tall, 1.3 * tall] };
  useEffect(() => { if (next.x !== kept.x || next.y !== kept.y) keep(next); });
  return next;
}

/** The shapes, each over one period, all moved by one clock. */
function Shapes({ answer, active }) {
  const clock = useMemo(() => new Clock(), []), [playing, play] = useState(!stillness.matches), [amplitude, swell] = useState(1);
  useEffect(() => clock.over(0, PERIOD, 1), []);
  useEffect(() => { if (playing && active) clock.play(); else clock.pause(); return () => clock.pause(); }, [playing, active]);
  if (!answer.shapes?.length) return null;
  return html`<section><div class="bar"><h3>Shapes</h3>
      <button type="button" onClick=${() => play(!playing)} aria-pressed=${playing}>${playing ? "Pause" : "Play"}</button>
      <label class="quiet">amplitude <input type="range" min="0.1" max="3" step="0.1" value=${amplitude} onInput=${e => swell(+e.target.value)} aria-label="amplitude of the shapes" /></label></div>
    <div class="shapes">${answer.shapes.map((shape, k) => html`<${Shape} key=${k} number=${k} shape=${shape} mode=${answer.modes[shape.mode]} clock=${clock} amplitude=${amplitude} />`)}</div>
  </section>`;
}

function Shape({ shape, number, mode, clock, amplitude }) {
  const drawing = useMemo(() => shape.frames && slowed(swollen(shape.frames, amplitude)), [shape, amplitude]);
  const words = mode.frequency ? `${written(mode.frequency)} rad/s${mode.damping ? `, damping ${written(mode.damping, 3)}` : ""}` : mode.kind;
  return html`<figure class="shape">
    ${drawing && html`<${Stage} drawing=${drawing} clock=${clock} trail=${false} small label=${`mode ${number + 1} moving`} />`}
    ${shape.along.length > 0 && html`<${Along} fields=${shape.along} clock=${clock} amplitude=${amplitude} number=${number} />`}
    <figcaption><i class="swatch" style=${{ background: series(number) }}></i><b>${number + 1}</b> ${words}</figcaption>
    ${shape.participation && html`<${Participation} parts=${shape.participation} number=${number} />`}
  </figure>`;
}

const slowed = drawing => {
  const first = drawing.t[0], span = drawing.t[drawing.t.length - 1] - first || 1;
  return { ...drawing, t: drawing.t.map(time => PERIOD * (time - first) / span) };
};

function Participation({ parts, number }) {
  // metres and radians have no common measure: with several units each is measured by its own largest, and the unit is written
  const units = [...new Set(parts.map(p => p.unit || ""))], most = Math.max(...parts.map(p => p.amplitude), 1e-12), mixed = units.length > 1;
  const mostOf = p => (mixed ? Math.max(...parts.filter(each => (each.unit || "") === (p.unit || "")).map(each => each.amplitude), 1e-9 * most) : most);
  return html`<ul class="bars" aria-label="what takes part">${[...parts].filter(p => p.amplitude > 1e-3 * mostOf(p) && p.amplitude > 1e-9 * most).sort((a, b) => b.amplitude - a.amplitude).slice(0, 6).map(p => html`<li key=${p.name}>
    <span class="name" title=${p.name}><${Letter} latex=${p.latex} name=${p.name} /></span><span class="track"><i style=${{ width: `${100 * p.amplitude / mostOf(p)}%`, background: series(number) }}></i></span>
    <span class="aside" title="phase">${written(p.amplitude, 2)}${mixed && p.unit ? ` ${printedUnit(p.unit)}` : ""}${p.phase ? ` ∠ ${written(p.phase * 180 / Math.PI, 3)}°` : ""}</span></li>`)}</ul>`;
}

/** What one per cent more of each parameter does to the critical mode, the strongest first. */
function Sensitivity({ answer }) {
  const values = useStore(s => s.settled), { parameters, frequencies, real, critical, strongest, remark } = answer.sensitivity || {};
  if (!strongest?.length || critical === null || critical === undefined) return null;
  const rows = strongest.map(name => {
    const k = parameters.indexOf(name), percent = 0.01 * Math.abs(values[name] ?? 0), of = list => (list[critical]?.[k] ?? 0) * percent;
    return { name, frequency: of(frequencies), real: of(real) };
  });
  const most = Math.max(...rows.map(r => Math.hypot(r.frequency, r.real)), 1e-300), seen = x => Math.abs(x) > 1e-9 * most, turns = rows.some(r => seen(r.frequency)), decays = rows.some(r => seen(r.real));
  return html`<section class="sensitivity"><h3>What changes mode ${critical + 1} most</h3>
    <div class="scroll"><table class="numbers"><thead><tr><th scope="col">1 % more of</th><td></td>${turns && html`<th scope="col">frequency</th>`}${decays && html`<th scope="col">real part</th>`}</tr></thead>
      <tbody>${rows.slice(0, 8).map(r => html`<tr key=${r.name}><th scope="row"><code>${r.name}</code></th>
        <td class="bars wide"><span class="track"><i style=${{ width: `${100 * Math.hypot(r.frequency, r.real) / most}%`, background: series(critical) }}></i></span></td>
        ${turns && html`<td>${signed(r.frequency)}</td>`}${decays && html`<td>${signed(r.real)}</td>`}</tr>`)}</tbody></table></div>
    ${remark && html`<p class="note"><${Sentence} words=${remark} /></p>`}</section>`;
}

const signed = x => (x > 0 ? `+${written(x, 3)}` : written(x, 3));

function Matrices({ matrices }) {
  const named = Object.entries(matrices || {}).map(([letter, { name, rows }]) => [letter, rows, name]);
  if (!named.length) return null;
  const plain = named.map(([name, m]) => `${name} = [${m.map(row => `[${row.join(", ")}]`).join(",\n     ")}]`).join("\n");
  return html`<details class="matrices"><summary>Matrices ${named.map(([name]) => name).join(", ")}</summary>
    <div class="bar"><${Copy} words=${plain} what="the matrices as text" /></div>
    <div class="matrix-row">${named.map(([name, m, words]) => html`<figure key=${name} class="matrix"><figcaption>${name} <span class="aside">${words}</span></figcaption>
      <div class="scroll"><table><tbody>${m.map(row => html`<tr>${row.map(x => html`<td class=${x === 0 ? "nil" : ""}>${written(x, 4)}</td>`)}</tr>`)}</tbody></table></div></figure>`)}</div></details>`;
}
