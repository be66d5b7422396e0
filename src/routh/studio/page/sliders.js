// A slider for every parameter; numbers follow the hand, and go into the file only when told to.
import { html, useState } from "./vendor/preact.js";
import { ask } from "./desk.js";
import { letGo, move, moveAll, write } from "./following.js";
import { Letter } from "./maths.js";
import { NumberField, written } from "./numbers.js";
import { notice } from "./opening.js";
import { set, state, useStore } from "./store.js";

const STEPS = 500;   // places on a slider: finer than a hand, coarse enough for round numbers

const RAISED = { "-": "⁻", 0: "⁰", 1: "¹", 2: "²", 3: "³", 4: "⁴", 5: "⁵", 6: "⁶", 7: "⁷", 8: "⁸", 9: "⁹" };
/** A unit as it is printed: m/s² for m/s^2. */
const printed = unit => (unit ?? "").replace(/\^\(?(-?\d+)\)?/g, (_, power) => [...power].map(each => RAISED[each]).join("")).replaceAll("*", "·");

/** A round step, about a `STEPS`th of the range. */
export function stepOf(low, high) {
  const raw = (high - low) / STEPS, power = 10 ** Math.floor(Math.log10(raw));
  return power * [1, 2, 5, 10].find(each => each * power >= raw * 0.999);
}

const rounded = (x, step) => +(Math.round(x / step) * step).toPrecision(12);

/** The ends of a slider: typed ones, else the file's; always about the value. */
function endsOf({ name, low, high }, value) {
  const [left, right] = state.ranges[name] ?? [low, high];
  return [Math.min(left, value ?? left), Math.max(right, value ?? right)];
}

function Ends({ parameter, ends, done }) {
  const [low, high] = ends;
  const take = range => { if (range[0] < range[1]) set({ ranges: { ...state.ranges, [parameter.name]: range } }); };
  return html`<div class="ends" onKeyDown=${event => event.key === "Escape" && done()}>
    <span class="note">from</span><${NumberField} value=${low} name=${`lower end of ${parameter.name}`} onvalue=${x => take([x, high])} />
    <span class="note">to</span><${NumberField} value=${high} name=${`upper end of ${parameter.name}`} onvalue=${x => take([low, x])} />
    <button class="quiet" onClick=${done}>done</button>
  </div>`;
}

function Slider({ parameter }) {
  const { name, latex, unit } = parameter;
  const value = useStore(s => s.values[name]);
  const ends = useStore(s => s.ranges[name]), held = useStore(s => s.held?.values[name]);
  const [typing, type] = useState(false);
  const [low, high] = endsOf(parameter, value, ends);
  const step = stepOf(low, high);
  const slide = event => move(name, Math.min(high, Math.max(low, rounded(+event.target.value, step))), event.timeStamp);
  const put = x => { move(name, x); letGo(); };
  const moved = value !== undefined && value !== parameter.value;
  const share = x => ((x - low) / (high - low)).toFixed(4);
  return html`<div class=${`slider ${moved ? "moved" : ""}`} data-parameter=${name}>
    <span class="letter" title=${name}><${Letter} latex=${latex} name=${name} /></span>
    <span class="track" onDblClick=${() => type(true)}>
      <input type="range" min=${low} max=${high} step="any" value=${value ?? (low + high) / 2} aria-label=${name}
        aria-valuetext=${value === undefined ? "no value yet" : `${written(value)}${unit ? ` ${unit}` : ""}`} title="double-click to type the ends of the range"
        onInput=${slide} onChange=${() => letGo()} onPointerUp=${() => letGo({ atOnce: true })} onKeyDown=${event => event.key === "r" && type(true)} />
      ${held !== undefined && held !== value && held >= low && held <= high && html`<i class="held" style=${`--at-share: ${share(held)}`} title=${`kept beside: ${written(held)}`}></i>`}
    </span>
    <${NumberField} value=${value} name=${name} step=${step * 10} onvalue=${put} />
    <span class="unit" title=${unit}>${printed(unit)}</span>
    <button class="quiet reset" disabled=${!moved || parameter.value === null} onClick=${() => put(parameter.value)} title=${`back to ${written(parameter.value)}, as in the file`} aria-label=${`reset ${name}`}>↺</button>
    ${typing && html`<${Ends} parameter=${parameter} ends=${[low, high]} done=${() => type(false)} />`}
  </div>`;
}

const MOST_FUNCTIONS = 24;

/** How many functions a field is expanded in, as a slider. */
function Size({ field }) {
  const count = useStore(s => s.sizes[field.name]) ?? field.count;
  const put = event => set({ sizes: { ...state.sizes, [field.name]: +event.target.value } });
  return html`<div class=${`slider ${count !== field.count ? "moved" : ""}`} data-field=${field.name}>
    <span class="letter" title=${`${field.kind} of ${field.name}`}><${Letter} latex=${field.latex} name=${field.name} /></span>
    <span class="track"><input type="range" min="1" max=${Math.max(MOST_FUNCTIONS, 2 * field.count)} step="1" value=${count} aria-label=${`number of ${field.kind} of ${field.name}`} aria-valuetext=${`${count} ${field.kind}`} onInput=${put} /></span>
    <span class="count">${count}</span><span class="unit">${field.kind}</span>
    <button class="quiet reset" disabled=${count === field.count} onClick=${() => set({ sizes: {} })} aria-label=${`reset ${field.name}`}>↺</button>
  </div>`;
}

/** Write the numbers of the sliders into the text; comments and layout stay, and undo takes it back. */
async function writeIntoFile() {
  try {
    const { text } = await ask("values");
    write(text);
  } catch (mistake) {
    notice(mistake.sentence, true);
  }
}

const fileValues = model => Object.fromEntries(model.parameters.filter(each => each.value !== null).map(each => [each.name, each.value]));

/** What may be done with all of them at once. */
function Actions({ model }) {
  const moved = useStore(s => model.parameters.filter(each => s.values[each.name] !== each.value && s.values[each.name] !== undefined).length);
  const refused = useStore(s => s.refused !== null);
  return html`<div class="actions">
    <button class="quiet" disabled=${!moved} onClick=${() => moveAll(fileValues(model))}>Reset</button>
    <button class="quiet" disabled=${!moved || refused} onClick=${writeIntoFile} title="puts these numbers into the text; undo takes it back">Write into the file</button>
  </div>`;
}

/** All sliders; the pane can be folded, on a small screen above all. */
export function Sliders() {
  const model = useStore(s => s.model);
  const [open, setOpen] = useState(true);
  if (!model || !(model.parameters.length || model.fields.length)) return null;
  return html`<section class=${`sliders ${open ? "" : "folded"}`} id="sliders" aria-label="Parameters">
    <header><button class="fold" aria-expanded=${open} aria-controls="slider-list" onClick=${() => setOpen(!open)}>Parameters</button><${Actions} model=${model} /></header>
    ${open && html`<div id="slider-list" class="list">
      ${model.parameters.map(each => html`<${Slider} key=${each.name} parameter=${each} />`)}
      ${model.fields.map(each => html`<${Size} key=${each.name} field=${each} />`)}
    </div>`}
  </section>`;
}
