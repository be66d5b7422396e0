// Where the system can rest, what becomes of small disturbances there, and the landscape of the potential.
import { html } from "../vendor/preact.js";
import { Sentence } from "../sentence.js";
import { useStore } from "../store.js";
import { Refusal, Result, useAnswer, useSubject } from "../asking.js";
import { Chart } from "../axes.js";
import { Letter } from "../maths.js";
import { Svg } from "../safe_svg.js";
import { printedUnit, written } from "../numbers.js";
import { Plot, verdictTone } from "../plots.js";
import { Badge } from "../verdict.js";
import { isAngle, standOn } from "../position.js";

export default function Equilibria({ active }) {
  const { text, values, sizes, model, ready } = useSubject(), q = useStore(s => s.live?.q ?? s.q);
  const asked = useAnswer("rests", ready ? { text, values, sizes } : null, { active });
  const { rests = [], completeness, none, landscape } = asked.answer || {};
  return html`<${Result} asked=${asked} words="Looking for equilibria">
    ${none ? html`<${Refusal} sentence=${none} />` : html`<p class="completeness"><${Sentence} words=${completeness || ""} /></p>`}
    <div class="rests">${rests.map((rest, k) => html`<${Card} key=${k} rest=${rest} model=${model} number=${k + 1} stood=${stands(q, rest.q)} />`)}</div>
    ${landscape && html`<${Landscape} landscape=${landscape} rests=${rests} q=${q} />`}
  <//>`;
}

/** A coordinate of a rest; angles that are plain parts of π are written so. */
function place(x, coordinate) {
  if (Math.abs(x) < 1e-12) return "0";
  const parts = isAngle(coordinate) ? [1, 2, 3, 4, 6].find(n => Math.abs(x * n / Math.PI - Math.round(x * n / Math.PI)) < 1e-9 && Math.abs(x) < 6.3) : undefined;
  if (parts === undefined) return `${written(x, 5)}${coordinate.unit && !isAngle(coordinate) ? ` ${printedUnit(coordinate.unit)}` : ""}`;
  const times = Math.round(x * parts / Math.PI), front = Math.abs(times) === 1 ? "" : Math.abs(times);
  return `${times < 0 ? "−" : ""}${front}π${parts > 1 ? `/${parts}` : ""}`;
}

const stands = (q, other) => q !== null && q !== undefined && Object.keys(other).every(name => Math.abs((q[name] ?? NaN) - other[name]) <= 1e-6 * (1 + Math.abs(other[name])));

function Card({ rest, model, number, stood }) {
  const own = model.coordinates.filter(c => c.name in rest.q), short = own.length <= 4 && !Object.keys(rest.rates || {}).length && !model.fields.length;
  return html`<button type="button" class=${`rest${stood ? " stood" : ""}`} aria-pressed=${stood} onClick=${() => standOn(rest)}
      title="stand on it: modes, response and branches are of this rest then">
    ${rest.thumbnail && html`<${Svg} svg=${rest.thumbnail} label=${`equilibrium ${number}`} class="thumbnail" />`}
    <span class="about">
      <span class="head"><b>${number}</b> <${Badge} verdict=${rest.verdict} />${rest.family > 1 ? html` <span class="aside">one of ${rest.family}</span>` : ""}</span>
      <span class="place">${short ? own.map(c => html`<span key=${c.name}><${Letter} latex=${c.latex} name=${c.name} /> = ${place(rest.q[c.name], c)}</span>`) : html`<${Sentence} words=${rest.place} />`}</span>
      <span class="reason"><${Sentence} words=${rest.reason || ""} /></span>
      ${rest.energy !== null && rest.energy !== undefined && html`<span class="aside">U = ${written(rest.energy)}</span>`}
    </span>
  </button>`;
}

function Landscape({ landscape, rests, q }) {
  const { x, y, z } = landscape;
  if (landscape.kind === "line") {
    const marks = rests.map(rest => ({ x: rest.q[x.name], y: between(x.values, z, rest.q[x.name]), colour: `var(--${verdictTone(rest.verdict)})`, hollow: !stands(q, rest.q), size: 6,
      name: `${rest.place}: ${rest.verdict}`, onpick: () => standOn(rest) }));
    return html`<section><h3>Dynamic potential U = V − T₀</h3><${Chart} x=${{ label: x.name }} y=${{ label: "U" }} lines=${[{ x: x.values, y: z, colour: "var(--ink)", name: "U" }]} marks=${marks} height=${280}
      label=${`dynamic potential over ${x.name}, with the equilibria`} zero=${false} /></section>`;
  }
  const traces = colour => [
    { type: "contour", x: x.values, y: y.values, z, colorscale: [[0, colour("blue")], [0.5, colour("tint")], [1, colour("orange")]], ncontours: 24, opacity: 0.85,
      contours: { coloring: "fill" }, line: { width: 0.5, color: colour("line") }, colorbar: { thickness: 10, outlinewidth: 0, tickfont: { color: colour("soft"), size: 11 }, title: { text: "U" } },
      hovertemplate: `${x.name} %{x:.4g}<br>${y.name} %{y:.4g}<br>U %{z:.4g}<extra></extra>` },
    { type: "scatter", mode: "markers", x: rests.map(r => r.q[x.name]), y: rests.map(r => r.q[y.name]), text: rests.map(r => `${r.place}<br>${r.verdict}`), hovertemplate: "%{text}<extra></extra>",
      marker: { size: rests.map(r => (stands(q, r.q) ? 15 : 11)), color: rests.map(r => colour(verdictTone(r.verdict))), opacity: 1, line: { width: 2, color: colour("paper") } }, cliponaxis: false },
  ];
  return html`<section><h3>Dynamic potential U = V − T₀</h3><${Plot} traces=${traces} layout=${{ xaxis: { title: x.name, range: [x.values[0], x.values[x.values.length - 1]] }, yaxis: { title: y.name, range: [y.values[0], y.values[y.values.length - 1]] } }} height=${380}
    label=${`dynamic potential over ${x.name} and ${y.name}, with the equilibria`} onpick=${point => { if (point.curveNumber === 1) standOn(rests[point.pointNumber]); }} /></section>`;
}

function between(xs, ys, x) {
  let k = xs.findIndex(each => each >= x);
  if (k <= 0) k = k === 0 ? 1 : xs.length - 1;
  return ys[k - 1] + (ys[k] - ys[k - 1]) * (x - xs[k - 1]) / (xs[k] - xs[k - 1] || 1);
}
