// How equilibria change along a parameter: branches, where they turn, meet and lose their stability.
import { html, useMemo, useRef, useState } from "../vendor/preact.js";
import { Sentence } from "../sentence.js";
import { useStore } from "../store.js";
import { Refusal, Result, Waiting, useAnswer, useDeed, useSubject } from "../asking.js";
import { Chart, Legend } from "../axes.js";
import { ParameterRange, Select, labelOf, likely, useRange } from "../choices.js";
import { written } from "../numbers.js";
import { goTo } from "../position.js";

export default function Branches({ active }) {
  const { text, values, sizes, model, ready } = useSubject(), q = useStore(s => s.q);
  const [chosen, choose] = useState(null), [shown, show] = useState(null), [every, all] = useState(false);
  const known = model && chosen && model.parameters.some(p => p.name === chosen.name);
  const picked = known ? chosen : { name: model && likely(model), from: null, to: null };
  const [low, high] = useRange(model, picked.name);
  const others = useMemo(() => { const rest = { ...values }; if (model && picked.name) rest[picked.name] = model.parameters.find(p => p.name === picked.name)?.value; return rest; }, [values, picked.name, model]);
  // going along the branches on the screen asks for nothing new; standing on another equilibrium does
  const rest = useStore(s => s.rest), origin = useRef({ text: null, q: null });
  if (origin.current.text !== text) origin.current = { text, q: null };
  if (rest) origin.current.q = rest.q;
  const about = ready && picked.name ? { text, sizes, values: others, q: origin.current.q, parameter: picked.name, from: picked.from ?? low, to: picked.to ?? high, ...(every ? { all: true } : {}) } : null;
  const asked = useAnswer("branches", about, { active, wait: 60 }), turn = useDeed();
  if (!model) return html`<${Result} asked=${asked} words="Following branches" />`;
  if (!picked.name) return html`<${Refusal} sentence="This model has no parameters to go along. Write one under [parameters]." />`;
  const names = model.coordinates.map(c => c.name), coordinate = names.includes(shown) ? shown : likeliest(asked.answer, names);
  const switched = (branch, point) => turn.go("switch", { ...about, branch, point, known: asked.answer.branches.map(b => b.id) }, answer => asked.put(answer));
  return html`<div class="branches-tab">
    <div class="bar"><${ParameterRange} label="along" model=${model} chosen=${picked} onchosen=${choose} />
      <${Select} label="shown" value=${coordinate} options=${names} onvalue=${show} />
      <label class="quiet" title="follow all equilibria at both ends of the range too, and every branch that crosses them"><input type="checkbox" checked=${every} onChange=${e => all(e.target.checked)} /> all branches</label></div>
    <${Result} asked=${asked} words="Following the branches of equilibria">
      <${Waiting} ...${turn} words="Going along the other branch" /><${Refusal} sentence=${turn.sentence} />
      ${asked.answer && html`<${Diagram} answer=${asked.answer} model=${model} coordinate=${coordinate} onswitch=${switched} q=${q} />`}
    <//></div>`;
}

/** The coordinate that changes most along the branches. */
function likeliest(answer, names) {
  const spans = names.map(name => Math.max(0, ...(answer?.branches || []).map(b => span(b.q[name] || []))));
  const all = names.map((name, k) => [name, spans[k]]).sort((a, b) => b[1] - a[1]);
  return all[0]?.[0] ?? names[0];
}
const span = list => { const finite = list.filter(Number.isFinite); return finite.length ? Math.max(...finite) - Math.min(...finite) : 0; };

const steady = verdict => /^(asymptotically )?stable/i.test(verdict || ""), lost = verdict => /^unstable/i.test(verdict || "");

/** Pieces of a branch between changes of the verdict; neighbours share a point, so that nothing gapes. */
function pieces(branch) {
  const found = [];
  for (let k = 0; k < branch.x.length; k++) {
    const kind = steady(branch.verdicts[k]) ? "stable" : lost(branch.verdicts[k]) ? "unstable" : "open";
    const last = found[found.length - 1];
    if (last && last.kind === kind) last.to = k;
    else { if (last) last.to = k; found.push({ kind, from: k, to: k }); }
  }
  return found;
}

const LOOKS = { stable: { colour: "var(--blue)", width: 2.2 }, unstable: { colour: "var(--red)", dash: "6 4", width: 1.6 }, open: { colour: "var(--soft)", dash: "2 3", width: 1.6 } };
const SHAPES = [[/fold|turn|limit/i, "square"], [/hopf|flutter/i, "diamond"], [/branch|pitchfork|transcritical|bifurcation/i, "dot"]];
const shapeOf = kind => SHAPES.find(([words]) => words.test(kind))?.[1] || "dot";

function Diagram({ answer, model, coordinate, onswitch, q }) {
  const { parameter, branches } = answer, values = useStore(s => s.values), place = useStore(s => s.live?.q) || q;
  const lines = useMemo(() => branches.flatMap((branch, b) => pieces(branch).map(piece => ({
    x: branch.x.slice(piece.from, piece.to + 1), y: (branch.q[coordinate] || []).slice(piece.from, piece.to + 1), ...LOOKS[piece.kind], name: branch.name || `branch ${b + 1}` }))), [answer, coordinate]);
  const special = useMemo(() => apart(branches), [answer]);
  const go = (value, there) => goTo({ [parameter]: value }, there);
  const marks = [
    ...special.map(({ branch, point }) => ({ x: point.value, y: point.q[coordinate], mark: shapeOf(point.kind), colour: "var(--ink)", hollow: !point.switchable, name: `${point.kind} at ${parameter} = ${written(point.value)}${point.switchable ? ": switch" : ": go there"}`,
      onpick: () => (point.switchable ? onswitch(branch.id, point.k) : go(point.value, point.q)) })),
    ...(place && values[parameter] !== undefined ? [{ x: values[parameter], y: place[coordinate], mark: "plus", size: 9, colour: "var(--orange)", name: "here" }] : []),
  ];
  const pick = (x, y, near) => { const found = nearestOn(branches, coordinate, x, y, near); if (found) go(found.value, found.q); };
  return html`<div>
    <${Chart} x=${{ label: labelOf(model, parameter) }} y=${{ label: labelOf(model, coordinate) }} lines=${lines} marks=${marks} height=${400} onpick=${pick} zero=${false}
      label=${`${coordinate} of equilibria along ${parameter}: ${branches.length} branches, ${special.length} special points`} />
    <${Legend} entries=${[{ words: "stable", ...LOOKS.stable }, { words: "unstable", ...LOOKS.unstable }, ...(lines.some(l => l.colour === LOOKS.open.colour) ? [{ words: "undecided", ...LOOKS.open }] : []), { words: "here", colour: "var(--orange)", mark: true }]} />
    <p class="note">Click a branch to go there, a branch point to follow what meets it.</p>
    ${(answer.remarks || []).map(words => html`<p class="note"><${Sentence} words=${words} /></p>`)}
    <${Special} special=${special} parameter=${parameter} onswitch=${onswitch} go=${go} />
    <ul class="ended">${branches.map((branch, k) => branch.ended && html`<li key=${branch.id}><b>${branch.name || `branch ${k + 1}`}</b> <${Sentence} words=${branch.ended} /></li>`)}</ul>
  </div>`;
}

/** Special points, each once: where branches cross, all of them have it. */
function apart(branches) {
  const seen = new Set();
  return branches.flatMap(branch => branch.points.map(point => ({ branch, point }))).filter(({ point }) => {
    const key = [point.kind, point.value, ...Object.values(point.q)].map(x => (typeof x === "number" ? x.toFixed(6) : x)).join();
    return !seen.has(key) && seen.add(key);
  });
}

/** The sample of all branches nearest to a place, measured as it is seen. */
function nearestOn(branches, coordinate, x, y, near) {
  let best = null, least = Infinity;
  for (const branch of branches) branch.x.forEach((value, k) => {
    const there = branch.q[coordinate]?.[k];
    if (there === null || there === undefined) return;
    const d = near(value, there, x, y);
    if (d < least) { least = d; best = { value, q: Object.fromEntries(Object.entries(branch.q).map(([name, list]) => [name, list[k]])) }; }
  });
  return least < 40 ? best : null;
}

function Special({ special, parameter, onswitch, go }) {
  if (!special.length) return html`<p class="note">No special points in this range.</p>`;
  return html`<table class="numbers special"><caption class="hidden">special points</caption><thead><tr><th scope="col">${parameter}</th><th scope="col" class="words">what</th><td></td></tr></thead>
    <tbody>${special.map(({ branch, point }) => html`<tr key=${`${branch.id}.${point.k}`}><th scope="row">${written(point.value)}</th><td class="words"><${Sentence} words=${point.words || point.kind} /></td>
      <td class="buttons"><button type="button" onClick=${() => go(point.value, point.q)}>Go there</button>${point.switchable && html`<button type="button" onClick=${() => onswitch(branch.id, point.k)}>Switch</button>`}</td></tr>`)}</tbody></table>`;
}
