// Motions: the animation, quantities over time, the phase portrait, and whether energies balance.
import { html, useEffect, useMemo, useRef, useState } from "../vendor/preact.js";
import { Sentence } from "../sentence.js";
import { set, useStore } from "../store.js";
import { Refusal, Result, isCurrent, useAnswer, useSubject } from "../asking.js";
import { Chart, Legend } from "../axes.js";
import { Select } from "../choices.js";
import { Clock, stillness } from "../clock.js";
import { Letter } from "../maths.js";
import { NumberField, printedUnit, written } from "../numbers.js";
import { series } from "../plots.js";
import { Controls, Stage } from "../player.js";
import { startOf, startOfFile } from "../position.js";
import { moment } from "../tracks.js";

export default function Motion({ active }) {
  const { text, values, sizes, model, ready } = useSubject(), start = useStore(s => s.start), until = useStore(s => s.until), held = useStore(s => s.held);
  const from = model && startOf(model, start), about = ready ? { text, values, sizes, start: from, until: until ?? model.motion?.until } : null;
  const asked = useAnswer("motion", about, { active });
  // the server lets a newer motion take the place of one that waits: the variant is asked for when the first is there
  const beside = useAnswer("motion", held && about && !asked.asking && asked.answer && !asked.stale ? { ...about, values: held.values } : null, { active });
  const clock = useMemo(() => new Clock(), []), run = asked.answer;
  useEffect(() => {
    if (!run?.t?.length) return;
    clock.over(run.t[0], run.t[run.t.length - 1], run.drawing?.speed || 1);
    if (active && !stillness.matches) clock.play();
  }, [run]);
  useEffect(() => { if (!active) clock.pause(); }, [active]);
  if (!model) return html`<${Result} asked=${asked} words="Computing the motion" />`;
  return html`<div class="motion-tab">
    <${Start} model=${model} from=${from} until=${until ?? model.motion?.until} />
    <${Refusal} sentence=${held && beside.sentence} />
    <${Result} asked=${asked} words="Computing the motion">${run && html`<${Run} run=${run} held=${held && isCurrent(beside) ? { ...beside.answer, label: held.label || "held" } : null} clock=${clock} model=${model} />`}<//>
  </div>`;
}

/** Positions and velocities at the beginning, and how long it runs. */
function Start({ model, from, until }) {
  const change = (what, name, x) => set({ start: { ...from, [what]: { ...from[what], [name]: x } } });
  return html`<details class="start" open=${model.coordinates.length <= 3}><summary>Start and length</summary>
    <div class="fields">
      ${model.coordinates.map(c => html`<div key=${c.name} class="field"><span><${Letter} latex=${c.latex} name=${c.name} /></span>
        <${NumberField} name=${`${c.name} at the start`} value=${from.q[c.name]} unit=${printedUnit(c.unit)} onvalue=${x => change("q", c.name, x)} />
        <${NumberField} name=${`rate of ${c.name} at the start`} value=${from.rates[c.name]} unit=${`${printedUnit(c.unit)}/s`} onvalue=${x => change("rates", c.name, x)} /></div>`)}
      <div class="field"><span>until</span><${NumberField} name="until" value=${until} unit="s" onvalue=${x => { if (x > 0) set({ until: x }); }} /></div>
      <button type="button" onClick=${() => { startOfFile(); set({ until: null }); }}>Start of the file</button>
    </div></details>`;
}

function Run({ run, held, clock, model }) {
  const [trail, leave] = useState(true);
  const drawings = [run.drawing, held?.drawing].filter(Boolean);
  return html`<div>
    <${Status} run=${run} />
    <div class="motion-grid">
      ${drawings.length > 0 && html`<div class="played">
        <div class=${`stages${drawings.length > 1 ? " two" : ""}`}>
          ${run.drawing && html`<figure><${Stage} drawing=${run.drawing} around=${held?.drawing ? [held.drawing] : []} clock=${clock} trail=${trail} label="the motion" />${held && html`<figcaption>now</figcaption>`}</figure>`}
          ${held?.drawing && html`<figure><${Stage} drawing=${held.drawing} around=${run.drawing ? [run.drawing] : []} clock=${clock} trail=${trail} label=${`the motion of ${held.label}`} /><figcaption class="held">${held.label}</figcaption></figure>`}
        </div><${Controls} clock=${clock} trail=${trail} ontrail=${leave} /></div>`}
      ${drawings.length === 0 && html`<${Controls} clock=${clock} />`}
      <${Times} run=${run} held=${held} clock=${clock} />
      <${Phase} run=${run} held=${held} clock=${clock} model=${model} />
      <${Energies} run=${run} clock=${clock} />
      ${(run.along || []).map(field => html`<${Wave} key=${field.name} field=${field} clock=${clock} />`)}
    </div>
    ${run.events?.length > 0 && html`<details class="events"><summary>${run.events.length} events</summary><ul>${run.events.map((e, k) => html`<li key=${k}><button type="button" class="quiet" onClick=${() => { clock.pause(); clock.seek(e.t); }}>t = ${written(e.t)}</button> <${Sentence} words=${e.words} /></li>`)}</ul></details>`}
  </div>`;
}

function Status({ run }) {
  return html`<p class="standing" role="status">${!run.trusted && html`<span class="badge unstable">not trusted</span> `}<${Sentence} words=${run.words || run.message || run.status} />
    ${[run.moved, run.coarse].filter(Boolean).map(words => html` <span class="aside"><${Sentence} words=${words} /></span>`)}</p>`;
}

/** All that is recorded over time: coordinates, outputs, and rates. */
const columnsOf = run => [...run.columns, ...(run.rates || []).map(rate => ({ ...rate, rate: true }))];

function Times({ run, held, clock }) {
  const all = columnsOf(run), [off, toggle] = useState(null);
  const hidden = k => (off ? off.has(all[k].name) : all[k].rate || k >= 4);
  const flip = k => toggle(() => { const next = new Set(all.filter((_, j) => hidden(j)).map(c => c.name)); if (next.has(all[k].name)) next.delete(all[k].name); else next.add(all[k].name); return next; });
  const lines = useMemo(() => all.flatMap((c, k) => (hidden(k) ? [] : [
    ...(held ? [{ x: held.t, y: columnsOf(held)[k]?.values || [], colour: series(k), dash: "4 3", pale: true, name: `${c.name}, ${held.label}` }] : []),
    { x: run.t, y: c.values, colour: series(k), name: c.name }])), [run, held, off]);
  const units = [...new Set(all.filter((_, k) => !hidden(k)).map(c => c.unit || ""))];
  return html`<figure class="times"><${Chart} x=${{ label: "t (s)", range: [run.t[0], run.t[run.t.length - 1]] }} y=${{ label: units.length === 1 ? printedUnit(units[0]) : "" }} lines=${lines} height=${250} clock=${clock} onpick=${t => { clock.pause(); clock.seek(t); }} label="quantities over time; a click sets the time" />
    <${Legend} entries=${all.map((c, k) => ({ words: c.unit ? `${c.name} (${printedUnit(c.unit)})` : c.name, colour: series(k), off: hidden(k) }))} ontoggle=${flip} /></figure>`;
}

function Phase({ run, held, clock, model }) {
  const all = columnsOf(run), names = all.map(c => c.name), first = model.coordinates[0]?.name;
  const likelyY = all.find(c => c.rate)?.name || names[1] || names[0];
  const [chosen, choose] = useState({}), x = names.includes(chosen.x) ? chosen.x : names.includes(first) ? first : names[0], y = names.includes(chosen.y) ? chosen.y : likelyY;
  const of = (r, name) => columnsOf(r).find(c => c.name === name)?.values || [];
  const lines = useMemo(() => [...(held ? [{ x: of(held, x), y: of(held, y), colour: "var(--orange)", dash: "4 3", name: held.label }] : []), { x: of(run, x), y: of(run, y), colour: "var(--blue)", width: 1.3, name: `${x}, ${y}` }], [run, held, x, y]);
  const dots = useMemo(() => time => [run, ...(held ? [held] : [])].map(r => { const [k, share] = moment(r.t, time); return [between(of(r, x), k, share), between(of(r, y), k, share)]; }), [run, held, x, y]);
  return html`<figure class="phase"><${Chart} x=${{ label: x }} y=${{ label: y }} lines=${lines} height=${250} clock=${clock} dots=${dots} label=${`phase portrait of ${x} and ${y}`} />
    <div class="bar"><${Select} label="across" value=${x} options=${names} onvalue=${v => choose({ ...chosen, x: v })} /><${Select} label="upright" value=${y} options=${names} onvalue=${v => choose({ ...chosen, y: v })} /></div></figure>`;
}

/** A field along its body at the time of the clock, over all that it does. */
function Wave({ field, clock }) {
  const band = useMemo(() => field.s.map((_, i) => field.w.map(w => w[i])), [field]);
  const lines = useMemo(() => [Math.min, Math.max].map(end => ({ x: field.s, y: band.map(list => end(...list)), colour: "var(--faint)", width: 1, quiet: true })), [field]);
  return html`<figure class="wave"><${Chart} x=${{ label: field.space }} y=${{ label: field.unit ? `${field.name} (${printedUnit(field.unit)})` : field.name }} lines=${lines} height=${200} label=${`${field.name} along ${field.space}, moving with the time`}>
    ${({ x, y }) => html`<${Shape} field=${field} clock=${clock} x=${x} y=${y} />`}<//><figcaption>The field <i>${field.name}</i> along the body, between all that it reaches.</figcaption></figure>`;
}

function Shape({ field, clock, x, y }) {
  const place = useRef(null);
  useEffect(() => clock.on(({ time }) => {
    const [k, share] = moment(field.t, time), a = field.w[k], b = field.w[Math.min(k + 1, field.w.length - 1)];
    place.current?.setAttribute("d", field.s.map((s, i) => `${i ? "L" : "M"}${x.to(s).toFixed(1)} ${y.to(a[i] + share * (b[i] - a[i])).toFixed(1)}`).join(""));
  }), [field, clock, x, y]);
  return html`<path ref=${place} style="stroke: var(--blue); stroke-width: 2.4" />`;
}

const between = (list, k, share) => { const a = list[k], b = list[Math.min(k + 1, list.length - 1)]; return a + share * (b - a); };

function Energies({ run, clock }) {
  const { names = {}, ...kept } = run.energies || {};
  const energies = useMemo(() => Object.entries(kept).map(([name, list], k) => ({ x: run.t, y: list, colour: series(k), name: names[name] || name, width: name === "E" ? 2.2 : 1.5 })), [run]);
  const errors = useMemo(() => (run.balance ? [{ x: run.t, y: run.balance, colour: "var(--violet)", name: "error" }] : []), [run]);
  const range = [run.t[0], run.t[run.t.length - 1]];
  if (!energies.length && !errors.length) return null;
  return html`<figure class="energy-plots">
    ${energies.length > 0 && html`<${Chart} x=${{ label: "t (s)", range }} y=${{ label: "energy (J)" }} lines=${energies} height=${190} clock=${clock} label="energies over time" /><${Legend} entries=${energies.map(e => ({ words: e.name, colour: e.colour }))} />`}
    ${errors.length > 0 && html`<${Chart} x=${{ label: "t (s)", range }} y=${{ label: "error" }} lines=${errors} height=${130} clock=${clock} label="error of the energy balance over time" /><figcaption class="note">Error of the energy balance, at most ${written(Math.max(...run.balance.map(x => Math.abs(x || 0))), 2)}.</figcaption>`}
  </figure>`;
}
