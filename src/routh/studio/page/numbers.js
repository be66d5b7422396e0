// Numbers as people write and read them.
import { html, useEffect, useState } from "./vendor/preact.js";

const SUPERSCRIPTS = { "-": "⁻", 0: "⁰", 1: "¹", 2: "²", 3: "³", 4: "⁴", 5: "⁵", 6: "⁶", 7: "⁷", 8: "⁸", 9: "⁹" };

const raised = power => [...power].map(each => SUPERSCRIPTS[each]).join("");

/** A unit as it is printed: m/s² for m/s^2. */
export const printedUnit = unit => (unit ?? "").replace(/\^\(?(-?\d+)\)?/g, (_, power) => raised(power)).replaceAll("*", "·");

const signed = words => words.replace("-", "−");

/** A number in so many digits: 0.3142, 12 400, 3.1·10⁻⁷; a dash for what is no number. */
export function written(x, digits = 4) {
  if (x === null || x === undefined || Number.isNaN(x)) return "–";
  if (!Number.isFinite(x)) return x > 0 ? "∞" : "−∞";
  if (x === 0) return "0";
  const size = Math.abs(x);
  if (size >= 1e-3 && size < 10 ** (digits + 1)) return signed(String(+x.toPrecision(digits)));
  const [mantissa, exponent] = x.toExponential(digits - 1).split("e");
  const front = signed(String(+mantissa)), power = `10${raised(String(+exponent))}`;
  return front === "1" ? power : front === "−1" ? `−${power}` : `${front}·${power}`;
}

/** a + b i, where what is rounding beside the other part is left out. */
export function complex([re, im], digits = 4) {
  const size = Math.hypot(re, im) || 1;
  const real = Math.abs(re) < 1e-10 * size ? 0 : re, turning = Math.abs(im) < 1e-10 * size ? 0 : im;
  if (turning === 0) return written(real, digits);
  const i = `${Math.abs(turning) === 1 ? "" : written(Math.abs(turning), digits)} i`;
  if (real === 0) return `${turning < 0 ? "−" : ""}${i}`;
  return `${written(real, digits)} ${turning < 0 ? "−" : "+"} ${i}`;
}

const NUMBER = "(?:\\d+\\.?\\d*|\\.\\d+)(?:e[+-]?\\d+)?";
const TYPED = new RegExp(`^([+-]?)\\s*(${NUMBER})?\\s*\\*?\\s*(pi|π)?\\s*(?:/\\s*(${NUMBER}))?\\s*(°|deg)?$`, "i");

/** What a person typed: 0.3, -1e-3, pi/2, 2 pi/3, 45°; null where it is no number. */
export function understood(words) {
  const found = TYPED.exec(words.trim().replace("−", "-").replace(",", "."));
  if (!found || (found[2] === undefined && found[3] === undefined)) return null;
  const [, sign, factor, pi, under, degrees] = found;
  let x = (factor === undefined ? 1 : +factor) * (pi ? Math.PI : 1) / (under === undefined ? 1 : +under);
  if (degrees) x *= Math.PI / 180;
  if (sign === "-") x = -x;
  return Number.isFinite(x) ? x : null;
}

const plain = x => (x === null || x === undefined ? "" : String(+x.toPrecision(6)));

/** A field for one number: Enter or leaving it gives the number on, the arrow keys step by a tenth. */
export function NumberField({ value, name, unit, step, onvalue, disabled }) {
  const [typed, type] = useState(plain(value));
  const [wrong, setWrong] = useState(false);
  useEffect(() => { type(plain(value)); setWrong(false); }, [value]);
  const give = words => {
    if (words === plain(value)) { setWrong(false); return; }
    const x = understood(words);
    setWrong(x === null);
    if (x !== null) { type(plain(x)); onvalue(x); }
  };
  const key = event => {
    if (event.key === "Enter") give(event.target.value);
    if (event.key === "Escape") { type(plain(value)); setWrong(false); }
    const way = { ArrowUp: 1, ArrowDown: -1 }[event.key];
    if (way) {
      event.preventDefault();
      const size = step || 0.1 * 10 ** Math.floor(Math.log10(Math.abs(value) || 1));
      onvalue(+((value || 0) + way * size).toPrecision(12));
    }
  };
  return html`<label class="number" title=${name}>
    <input type="text" inputmode="decimal" autocomplete="off" spellcheck=${false} aria-label=${unit ? `${name} in ${unit}` : name} aria-invalid=${wrong}
      value=${typed} disabled=${disabled} onInput=${e => type(e.target.value)} onKeyDown=${key} onBlur=${e => give(e.target.value)} />
    ${unit && html`<span class="unit">${unit}</span>`}
  </label>`;
}

/** Round steps between two ends, about so many. */
export function ticks(low, high, count = 6) {
  const span = high - low;
  if (!(span > 0) || !Number.isFinite(span)) return { at: [], step: 1 };
  const raw = span / count, power = 10 ** Math.floor(Math.log10(raw));
  const step = power * [1, 2, 5, 10].find(m => m * power >= raw * 0.999);
  const at = [];
  for (let k = Math.ceil(low / step - 1e-9); k <= high / step + 1e-9; k++) at.push(k * step);
  return { at, step };
}

/** Powers of ten between two positive ends; 2 and 5 among them where there are few. */
export function decades(low, high, count = 6) {
  const first = Math.ceil(Math.log10(low) - 1e-9), last = Math.floor(Math.log10(high) + 1e-9);
  const skip = Math.max(1, Math.ceil((last - first + 1) / count)), at = [];
  if (last - first + 1 >= 3) {
    for (let k = first; k <= last; k += skip) at.push(10 ** k);
    return at;
  }
  for (let k = first - 1; k <= last; k++) for (const m of [1, 2, 5]) {
    const x = m * 10 ** k;
    if (x >= low * (1 - 1e-9) && x <= high * (1 + 1e-9)) at.push(x);
  }
  return at;
}
