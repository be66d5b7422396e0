// Formulas by KaTeX, each of which can be copied as LaTeX.
import { html, useEffect, useRef, useState } from "./vendor/preact.js";

const HOW = { throwOnError: false, strict: false, maxSize: 20, trust: false };

/** A formula; `display` on a line of its own that scrolls where it is wide, with a button to copy it. */
export function Formula({ latex, display = false }) {
  const place = useRef(null);
  useEffect(() => { window.katex.render(latex, place.current, { ...HOW, displayMode: display }); }, [latex, display]);
  if (!display) return html`<span class="math" ref=${place}></span>`;
  return html`<div class="formula">
    <div class="math" ref=${place} tabindex="0" role="math" aria-label=${latex}></div>
    <${Copy} words=${latex} what="as LaTeX" />
  </div>`;
}

/** A name that may have indices, as a formula. */
export function Letter({ latex, name }) {
  return latex ? html`<${Formula} latex=${latex} />` : html`<span>${name}</span>`;
}

export function Copy({ words, what }) {
  const [done, say] = useState(false);
  const copy = async () => {
    await navigator.clipboard.writeText(words);
    say(true);
    setTimeout(() => say(false), 1500);
  };
  return html`<button type="button" class="copy" onClick=${copy} title=${`copy ${what}`} aria-label=${`copy ${what}`}>${done ? "copied" : "copy"}</button>`;
}

/** Words in which formulas stand between dollars. */
export function Words({ text }) {
  const parts = text.split(/\$([^$]+)\$/);
  return html`<span>${parts.map((part, k) => (k % 2 ? html`<${Formula} latex=${part} />` : part))}</span>`;
}
