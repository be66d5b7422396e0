// Two parameters: where the system is stable, refined while one looks.
import { html, useEffect, useMemo, useState } from "../vendor/preact.js";
import { state, useStore } from "../store.js";
import { Refusal, Result, useAnswer, useSubject } from "../asking.js";
import { Chart } from "../axes.js";
import { ParameterRange, Select, labelOf, likely, useRange } from "../choices.js";
import { written } from "../numbers.js";
import { token } from "../plots.js";
import { goTo } from "../position.js";

// of regions, as in colours.py
const REGIONS = [[/^asymptotically/i, "#1b7f5c"], [/gyroscopic/i, "#b3cde3"], [/^stable/i, "#4393c3"], [/divergence/i, "#f1a340"], [/flutter/i, "#c2334d"], [/^unstable/i, "#c2334d"], [/no equilibrium|none/i, null], [/./, "#969696"]];
const colourOf = words => REGIONS.find(([known]) => known.test(words))[1];

const standing = () => state.q && { q: state.live?.from === state.q ? state.live.q ?? state.q : state.q, values: state.values };

export default function TwoParameters({ active }) {
  const { text, values, sizes, model, ready } = useSubject(), q = useStore(s => s.q);
  const [chosen, choose] = useState({ x: null, y: null, kind: null });
  const known = each => each && model?.parameters.some(p => p.name === each.name);
  const x = known(chosen.x) ? chosen.x : { name: model && likely(model), from: null, to: null };
  const y = known(chosen.y) && chosen.y.name !== x.name ? chosen.y : { name: model && likely(model, x.name), from: null, to: null };
  const kind = chosen.kind || (model?.periodic ? "floquet" : "stability");
  const [xLow, xHigh] = useRange(model, x.name), [yLow, yHigh] = useRange(model, y.name);
  // the rest that is charted is the one stood on, with the values it was stood on at: going about in the chart asks for nothing new
  const [origin, from] = useState(() => standing());
  useEffect(() => from(standing()), [q, text]);
  const others = useMemo(() => { const rest = { ...values }; for (const p of model?.parameters || []) if (p.name === x.name || p.name === y.name) rest[p.name] = origin?.values[p.name] ?? p.value; return rest; }, [values, x.name, y.name, model, origin]);
  const about = ready && x.name && y.name ? { text, sizes, values: others, ...(origin ? { q: origin.q } : {}), kind,
    x: { parameter: x.name, from: x.from ?? xLow, to: x.to ?? xHigh }, y: { parameter: y.name, from: y.from ?? yLow, to: y.to ?? yHigh } } : null;
  const asked = useAnswer("chart", about, { active, wait: 60 });
  if (!model) return html`<${Result} asked=${asked} words="Charting" />`;
  if (!x.name || !y.name) return html`<${Refusal} sentence="A chart takes two parameters, and this model has fewer. Write another under [parameters]." />`;
  return html`<div class="chart-tab">
    <div class="bar"><${ParameterRange} label="across" model=${model} chosen=${x} without=${y.name} onchosen=${v => choose({ ...chosen, x: v })} />
      <${ParameterRange} label="upright" model=${model} chosen=${y} without=${x.name} onchosen=${v => choose({ ...chosen, y: v })} />
      ${model.periodic && html`<${Select} label="kind" value=${kind} options=${[["floquet", "Floquet chart"], ["stability", "stability map"]]} onvalue=${v => choose({ ...chosen, kind: v })} />`}</div>
    <${Result} asked=${asked} words=${kind === "floquet" ? "Going through periods" : "Deciding stability point by point"}>${asked.answer && html`<${Region} answer=${asked.answer} model=${model} />`}<//>
  </div>`;
}

function Region({ answer, model }) {
  const across = answer.x.name, upright = answer.y.name;
  const values = useStore(s => s.values), theme = useStore(s => s.theme), picture = useMemo(() => painted(answer), [answer, theme]);
  const { z, words } = answer, x = answer.x.values, y = answer.y.values, reach = list => [list[0], list[list.length - 1]], half = list => (list.length > 1 ? (list[1] - list[0]) / 2 : 0.5);
  const spread = list => { const [a, b] = reach(list); return [a - half(list), b + half(list)]; };
  const [x0, x1] = spread(x), [y0, y1] = spread(y);
  const marks = [{ x: values[across], y: values[upright], mark: "plus", size: 10, colour: "var(--paper)" }, { x: values[across], y: values[upright], mark: "dot", size: 5, colour: "var(--ink)", name: "the values of now" }];
  const here = wordsAt(answer, values[across], values[upright]);
  const seen = [...new Set(z.flat())].filter(code => words[code] !== undefined);
  return html`<div>
    <${Chart} x=${{ label: labelOf(model, across), range: [x0, x1] }} y=${{ label: labelOf(model, upright), range: [y0, y1] }} marks=${marks} height=${430} zero=${false}
      onpick=${(u, v) => goTo({ [across]: u, [upright]: v })} label=${`chart over ${across} and ${upright}; here: ${here}. Arrow keys move a cross, Enter goes there.`}
      picture=${({ x: a, y: b }) => html`<image href=${picture} x=${a.to(x0)} y=${b.to(y1)} width=${a.to(x1) - a.to(x0)} height=${b.to(y0) - b.to(y1)} preserveAspectRatio="none" style="image-rendering: pixelated" />`} />
    <ul class="legend">${seen.map(code => html`<li key=${code}><i class="swatch square" style=${{ background: colourOf(words[code]) || "transparent" }}></i>${words[code]}</li>`)}</ul>
    <p class="note" role="status">Now: ${across} = ${written(values[across])}, ${upright} = ${written(values[upright])}; the point of the chart nearest to it: ${here}. ${x.length} × ${y.length} points${answer.done === false ? ", being refined" : ""}. Click to go there.</p>
  </div>`;
}

const nearestOf = (list, v) => list.reduce((best, each, k) => (Math.abs(each - v) < Math.abs(list[best] - v) ? k : best), 0);
/** Whether a value lies in a cell of the picture; cells reach half a step beyond the outermost points. */
const within = (list, v) => { const half = Math.abs(list[1] - list[0]) / 2; return v >= Math.min(list[0], list[list.length - 1]) - half && v <= Math.max(list[0], list[list.length - 1]) + half; };
const wordsAt = ({ x, y, z, words }, u, v) => (within(x.values, u) && within(y.values, v) ? words[z[nearestOf(y.values, v)][nearestOf(x.values, u)]] : "outside this chart");

/** The map as a picture of one pixel for each point; the first row is the lowest. */
function painted({ z, words }) {
  const canvas = document.createElement("canvas"), rows = z.length;
  canvas.width = z[0].length; canvas.height = rows;
  const pen = canvas.getContext("2d"), nothing = token(document.documentElement, "tint") || "#f5f7f9";
  z.forEach((row, j) => row.forEach((code, i) => {
    if (code === null || words[code] === undefined) return;
    pen.fillStyle = colourOf(words[code]) || nothing;
    pen.fillRect(i, rows - 1 - j, 1, 1);
  }));
  return canvas.toDataURL();
}
