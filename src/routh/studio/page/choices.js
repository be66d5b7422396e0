// What several tabs let one choose: a parameter with its range, one of a few names.
import { html } from "./vendor/preact.js";
import { useStore } from "./store.js";
import { NumberField, printedUnit } from "./numbers.js";

export function Select({ label, value, options, onvalue }) {
  return html`<label class="choice"><span>${label}</span>
    <select value=${value} onChange=${e => onvalue(e.target.value)}>${options.map(each => {
      const [key, words] = Array.isArray(each) ? each : [each, each];
      return html`<option value=${key} selected=${key === value}>${words}</option>`;
    })}</select></label>`;
}

/** The ends of a parameter's slider. */
export function useRange(model, name) {
  const ranges = useStore(s => s.ranges), parameter = model?.parameters.find(p => p.name === name);
  if (!ranges[name] && model?.sweep?.parameter === name) return [model.sweep.from, model.sweep.to];
  return ranges[name] || (parameter ? [parameter.low, parameter.high] : [0, 1]);
}

/** A parameter and from where to where it goes; `chosen`: {name, from, to}, ends null as long as they are the slider's. */
export function ParameterRange({ label, model, chosen, onchosen, without }) {
  const [low, high] = useRange(model, chosen.name);
  const names = model.parameters.map(p => p.name).filter(name => name !== without);
  return html`<div class="range">
    <${Select} label=${label} value=${chosen.name} options=${names} onvalue=${name => onchosen({ name, from: null, to: null })} />
    <span class="quiet">from</span><${NumberField} name=${`${chosen.name} from`} value=${chosen.from ?? low} onvalue=${from => onchosen({ ...chosen, from })} />
    <span class="quiet">to</span><${NumberField} name=${`${chosen.name} to`} value=${chosen.to ?? high} onvalue=${to => onchosen({ ...chosen, to })} />
  </div>`;
}

/** The parameter people most likely want along an axis: that of the file's sweep, one with a range in the file, else the first. */
export function likely(model, without) {
  const free = model.parameters.filter(p => p.name !== without);
  return (free.find(p => p.name === model.sweep?.parameter) || free.find(p => p.ranged) || free.find(p => p.unit !== "kg") || free[0])?.name;   // masses alone often cancel
}

export const labelOf = (model, name) => {
  const found = [...model.parameters, ...model.coordinates].find(p => p.name === name);
  return found?.unit ? `${name} (${printedUnit(found.unit)})` : name;
};
