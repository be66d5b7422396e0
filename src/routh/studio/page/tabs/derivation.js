// How the equations come about, step by step.
import { html, useState } from "../vendor/preact.js";
import { Sentence } from "../sentence.js";
import { useStore } from "../store.js";
import { Result, useAnswer, useSubject } from "../asking.js";
import { Formula } from "../maths.js";

export default function Derivation({ active }) {
  const { text, values, sizes, ready } = useSubject(), q = useStore(s => s.q);
  const asked = useAnswer("derivation", ready ? { text, values, sizes, q } : null, { active, wait: 100 });
  const [{ every, own }, choose] = useState({ own: {} }), chapters = asked.answer?.chapters || [];
  const all = on => choose({ every: on, own: {} });     // of steps that are still to come, too
  return html`<${Result} asked=${asked} words="Deriving the equations">
    <div class="bar"><button type="button" onClick=${() => all(true)}>Open all</button><button type="button" onClick=${() => all(false)}>Close all</button><button type="button" onClick=${() => all()}>Results alone</button></div>
    ${chapters.map((chapter, i) => html`<section class="chapter" key=${chapter.title}>
      <h3>${chapter.title}</h3>
      ${chapter.words && html`<p class="note"><${Sentence} words=${chapter.words} /></p>`}
      ${chapter.steps.map((step, k) => html`<${Step} key=${k} number=${k + 1} step=${step} open=${own[`${i}.${k}`] ?? every ?? RESULTS.test(step.title)}
        onopen=${on => choose(old => ({ ...old, own: { ...old.own, [`${i}.${k}`]: on } }))} />`)}
    </section>`)}
  <//>`;
}

/** What a chapter comes to is open at first; the way there opens step by step. */
const RESULTS = /^(Equations of motion|Partial equations|Conditions at the ends|Coordinates|Result|Equations of small motions|Verdict|Canonical equations)$/;

function Step({ step, number, open, onopen }) {
  return html`<details open=${open} onToggle=${e => { if (e.target.open !== open) onopen(e.target.open); }}>
    <summary><span class="count">${number}</span> <${Sentence} words=${step.title} /></summary>
    ${open && html`<div class="blocks">${step.blocks.map((block, k) => html`<${Block} key=${k} block=${block} />`)}</div>`}
  </details>`;
}

function Block({ block }) {
  if (block.kind === "formula") return html`<${Formula} latex=${block.latex} words=${block.text} display />`;
  if (block.kind === "table") return html`<div class="scroll"><table class="plain">${block.head?.length > 0 && html`<thead><tr>${block.head.map(cell => html`<th scope="col"><${Cell} ...${cell} /></th>`)}</tr></thead>`}<tbody>${block.rows.map(row => html`<tr>${row.map(cell => html`<td><${Cell} ...${cell} /></td>`)}</tr>`)}</tbody></table></div>`;
  return html`<p><${Sentence} words=${block.text} /></p>`;
}

const Cell = ({ latex, text }) => (latex ? html`<${Formula} latex=${latex} />` : html`<${Sentence} words=${text} />`);
