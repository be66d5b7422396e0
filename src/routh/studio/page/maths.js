// Formulas by KaTeX, each of which can be copied as LaTeX.
import { html, useEffect, useRef, useState } from "./vendor/preact.js";

const HOW = { throwOnError: false, strict: false, maxSize: 20, trust: false };

/** A formula; `display` on a line of its own that scrolls where it is wide, with a button to copy it. */
export function Formula({ latex, words, display = false }) {
  const place = useRef(null);
  useEffect(() => { window.katex.render(latex, place.current, { ...HOW, displayMode: display }); }, [latex, display]);
  if (!display) return html`<span class="math" ref=${place} role=${words ? "math" : null} aria-label=${words}></span>`;
  return html`<div class="formula">
    <div class="math" ref=${place} tabindex="0" role="math" aria-label=${words || latex}></div>
    <${Copy} words=${latex} what="as LaTeX" />
  </div>`;
}

/** A name that may have indices, as a formula. */
export function Letter({ latex, name }) {
  return latex ? html`<${Formula} latex=${latex} words=${name} />` : html`<span>${name}</span>`;
}

export function Copy({ words, what }) {
  const [said, say] = useState(null);
  const copy = async () => {
    const done = await written(words);
    say(done ? "copied" : "not allowed");
    setTimeout(() => say(null), 1500);
  };
  return html`<button type="button" class="copy" onClick=${copy} title=${`copy ${what}`} aria-label=${`copy ${what}`}>${said ?? "copy"}</button>`;
}

/** Whether words came to the clipboard: pages that are not from this machine need the older way. */
async function written(words) {
  try {
    if (navigator.clipboard) { await navigator.clipboard.writeText(words); return true; }
  } catch { /* the older way may still be allowed */ }
  const field = document.createElement("textarea");
  field.value = words;
  document.body.append(field);
  field.select();
  const done = document.execCommand("copy");
  field.remove();
  return done;
}
