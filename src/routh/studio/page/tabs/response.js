// How the system answers small shaking: gain and phase, Nyquist's curve, and roots along a parameter.
import { html, useEffect, useMemo, useState } from "../vendor/preact.js";
import { Sentence } from "../sentence.js";
import { set, useStore } from "../store.js";
import { Refusal, Result, isCurrent, useAnswer, useSubject } from "../asking.js";
import { Chart, Legend } from "../axes.js";
import { ParameterRange, Select, labelOf, likely, useRange } from "../choices.js";
import { complex, written } from "../numbers.js";

export default function Response({ active }) {
  const [chosen, choose] = useState({ input: undefined, output: undefined });
  useEffect(() => {
    if (!active) return undefined;
    set({ want: { want: ["response"], ...chosen } });
    return () => set({ want: null });
  }, [active, chosen.input, chosen.output]);
  return html`<div class="response-tab"><${Frequency} active=${active} chosen=${chosen} choose=${choose} /><${Locus} active=${active} /></div>`;
}

/** The response after the hand has let go, that under the hand, and that of the variant kept beside. */
function useResponses(active, chosen) {
  const { text, values, sizes, ready } = useSubject(), q = useStore(s => s.q), held = useStore(s => s.held);
  const under = useStore(s => s.live?.response), moving = useStore(s => s.values !== s.settled);
  const asked = useAnswer("response", ready ? { text, values, sizes, q, ...chosen } : null, { active }), still = asked.answer;
  // the server lets a newer response take the place of one that waits: the variant is asked for when the first is there
  const beside = useAnswer("response", held && still && !asked.asking ? { text, sizes, values: held.values, q: held.q, input: still.input, output: still.output } : null, { active });
  const same = under && still && under.input === still.input && under.output === still.output;
  return { asked, now: same && (moving || asked.stale) ? { ...still, ...under } : still, held: held && isCurrent(beside) ? { ...beside.answer, label: held.label || "held" } : null, unheld: held && beside.sentence };
}

function Frequency({ active, chosen, choose }) {
  const { asked, now, held, unheld } = useResponses(active, chosen);
  return html`<${Refusal} sentence=${unheld} /><${Result} asked=${{ ...asked, stale: asked.stale && now === asked.answer }} words="Computing the response">${now && html`<${Curves} response=${now} held=${held} chosen=${chosen} choose=${choose} />`}<//>`;
}

function Curves({ response, held, chosen, choose }) {
  const gain = useMemo(() => curves(response, held, "gain"), [response, held]), phase = useMemo(() => curves(response, held, "phase", x => x * 180 / Math.PI), [response, held]);
  return html`<section>
    <div class="bar">
      <${Select} label="input" value=${response.input} options=${response.inputs} onvalue=${input => choose({ ...chosen, input })} />
      <${Select} label="output" value=${response.output} options=${response.outputs} onvalue=${output => choose({ ...chosen, output })} />
      ${held && html`<${Legend} entries=${[{ words: "now", colour: "var(--blue)" }, { words: held.label, colour: "var(--orange)", dash: "5 3" }]} />`}
    </div>
    ${response.words && html`<p class="note"><${Sentence} words=${response.words} /></p>`}
    <div class="pair">
      <div><${Chart} x=${LOG} y=${GAIN} lines=${gain} height=${230} label=${`gain from ${response.input} to ${response.output} over the frequency`} />
        <${Chart} x=${LOG} y=${DEGREES} lines=${phase} height=${200} label="phase over the frequency" /></div>
      <${Nyquist} response=${response} held=${held} />
    </div>
  </section>`;
}

const LOG = { label: "ω (rad/s)", log: true }, GAIN = { label: "gain", log: true }, DEGREES = { label: "phase (°)", words: v => String(Math.round(v)).replace("-", "−") };

function curves(now, held, what, by = x => x) {
  const line = (r, more) => ({ x: r.omega, y: r[what].map(x => (x === null ? null : by(x))), ...more });
  return [...(held ? [line(held, { colour: "var(--orange)", dash: "5 3", name: held.label })] : []), line(now, { colour: "var(--blue)", name: what, width: 1.8 })];
}

function Nyquist({ response, held }) {
  const line = (r, more) => ({ x: r.nyquist.map(p => p && p[0]), y: r.nyquist.map(p => p && p[1]), ...more });
  const lines = [...(held ? [line(held, { colour: "var(--orange)", dash: "5 3", name: held.label })] : []), line(response, { colour: "var(--blue)", name: "G(iω)", width: 1.8 })];
  return html`<figure><${Chart} x=${{ label: "Re G" }} y=${{ label: "Im G" }} lines=${lines} marks=${[{ x: -1, y: 0, mark: "plus", colour: "var(--red)", name: "−1" }].filter(() => reaches(response))} height=${430} equal label="Nyquist's curve" />
    <figcaption class="note">Nyquist: G(iω) for rising ω${reaches(response) ? "; the cross is −1" : ""}.</figcaption></figure>`;
}

/** Whether −1 is of the size of what is drawn. */
const reaches = r => { const most = Math.max(...r.nyquist.map(p => (p ? Math.hypot(...p) : 0))); return most > 0.05 && most < 200; };

/** Eigenvalues along a parameter, with those of now on top. */
function Locus({ active }) {
  const { text, values, sizes, model, ready } = useSubject(), q = useStore(s => s.q), live = useStore(s => s.live), now = useStore(s => s.values);
  const [chosen, choose] = useState(null), picked = model && (chosen && model.parameters.some(p => p.name === chosen.name) ? chosen : { name: likely(model), from: null, to: null });
  const [low, high] = useRange(model, picked?.name);
  const others = useMemo(() => { const rest = { ...values }; if (picked && model) rest[picked.name] = model.parameters.find(p => p.name === picked.name)?.value; return rest; }, [values, picked?.name, model]);
  const about = ready && picked?.name ? { text, sizes, values: others, q, parameter: picked.name, from: picked.from ?? low, to: picked.to ?? high } : null;
  const asked = useAnswer("locus", about, { active, wait: 60 }), { answer } = asked;
  const lines = useMemo(() => (answer ? spread(answer) : []), [answer]);
  const range = useMemo(() => spans(lines), [lines]);
  const marks = useMemo(() => (live?.eigenvalues || []).map(([x, y]) => ({ x, y, mark: "cross", colour: "var(--ink)", name: `now: ${complex([x, y])}` })), [live]);
  if (!picked?.name) return null;
  return html`<section><h3>Roots along a parameter</h3>
    <div class="bar"><${ParameterRange} label="along" model=${model} chosen=${picked} onchosen=${choose} /><span class="quiet">now ${written(now[picked.name])}</span></div>
    <${Result} asked=${asked} words="Following the roots">
      <${Chart} x=${{ label: "Re (1/s)", range: range.x }} y=${{ label: "Im (1/s)", range: range.y }} lines=${lines} marks=${marks} height=${320} label=${`roots along ${labelOf(model, picked.name)}`} />
      <${Legend} entries=${[...lines.map(({ words, colour }) => ({ words, colour, mark: true })), { words: "now", colour: "var(--ink)", mark: true }]} />
      ${answer?.changes?.length > 0 && html`<ul class="changes">${answer.changes.map(c => html`<li key=${c.between[0]}><${Sentence} words=${c.words} /></li>`)}</ul>`}
    <//></section>`;
}

/** Axes about the roots; a few that run away near a singular value are left outside. */
function spans(lines) {
  const [re, im] = ["x", "y"].map(axis => lines.flatMap(l => l[axis]).map(Math.abs).sort((a, b) => a - b));
  const reach = list => { const usual = list[Math.floor(0.97 * (list.length - 1))] || 0, most = list[list.length - 1] || 0; return most > 20 * usual && usual > 0 ? 1.5 * usual : most; };
  const wide = 1.1 * Math.max(reach(re), 0.15 * reach(im), 1e-12), tall = 1.1 * Math.max(reach(im), 0.15 * reach(re), 1e-12);
  return { x: [-wide, wide], y: [-tall, tall] };
}

const TONES = { stable: "var(--blue)", unstable: "var(--red)", undecided: "var(--faint)" };

/** Points of the plane by what they mean; the name of each says where along the parameter it lies. */
export function spread({ parameter, values, eigenvalues, verdicts }) {
  const groups = Object.fromEntries(Object.keys(TONES).map(name => [name, { x: [], y: [], at: [] }]));
  const size = Math.max(1e-300, ...eigenvalues.flatMap(roots => (roots || []).map(([re, im]) => Math.hypot(re, im)))), tidy = x => (Math.abs(x) < 1e-9 * size ? 0 : x);
  eigenvalues.forEach((roots, k) => {
    if (!roots) return;
    const verdict = verdicts?.[k] || "", group = groups[/^unstable/i.test(verdict) ? "unstable" : /^(asymptotically )?stable/i.test(verdict) ? "stable" : "undecided"];
    for (const [re, im] of roots) { group.x.push(tidy(re)); group.y.push(tidy(im)); group.at.push(values[k]); }
  });
  return Object.entries(groups).filter(([, g]) => g.x.length).map(([words, g]) => ({ ...g, words, dots: true, colour: TONES[words], name: k => `${parameter} = ${written(g.at[k])}` }));
}
