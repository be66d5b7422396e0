// How the equations come about, step by step.
import { html, useState } from "../vendor/preact.js";
import { Result, useAnswer, useSubject } from "../asking.js";
import { Sentence } from "../sentence.js";
import { Copy, Formula, Words } from "../maths.js";

export default function Derivation({ active }) {
  const { text, ready } = useSubject();
  const asked = useAnswer("derivation", ready ? { text } : null, { active, wait: 150 });
  const [open, toggle] = useState({}), chapters = asked.answer?.chapters || [];
  const every = chapters.flatMap((chapter, i) => chapter.steps.map((_, k) => `${i}.${k}`));
  const all = on => toggle(Object.fromEntries(every.map(key => [key, on])));
  return html`<${Result} asked=${asked} words="Deriving the equations">
    <div class="bar"><button type="button" onClick=${() => all(true)}>Open all</button><button type="button" onClick=${() => all(false)}>Close all</button></div>
    ${chapters.map((chapter, i) => html`<section class="chapter" key=${chapter.title}>
      <h3>${chapter.title}</h3>
      ${chapter.steps.map((step, k) => html`<${Step} key=${k} number=${k + 1} step=${step} open=${open[`${i}.${k}`] ?? firstSeen(chapter, i, k)}
        onopen=${on => toggle(old => ({ ...old, [`${i}.${k}`]: on }))} />`)}
    </section>`)}
  <//>`;
}

/** Equations of motion, partial equations and conditions at the ends are what people come for. */
const firstSeen = (chapter, i, k) => i === 0 && (k === 0 || k === chapter.steps.length - 1 || /equation|condition/i.test(chapter.steps[k].title));

function Step({ step, number, open, onopen }) {
  return html`<details open=${open} onToggle=${e => { if (e.target.open !== open) onopen(e.target.open); }}>
    <summary><span class="count">${number}</span> <${Words} text=${step.title} /></summary>
    ${open && html`<div class="blocks">${step.blocks.map((block, k) => html`<${Block} key=${k} block=${block} />`)}</div>`}
  </details>`;
}

function Block({ block }) {
  if (block.kind === "formula") return html`<${Formula} latex=${block.latex} display />`;
  if (block.kind === "table") return html`<div class="scroll"><table class="plain"><tbody>${block.rows.map(row => html`<tr>${row.map(cell => html`<td><${Words} text=${String(cell)} /></td>`)}</tr>`)}</tbody></table></div>`;
  if (block.kind === "code") return html`<div class="formula"><pre>${block.text}</pre><${Copy} words=${block.text} what="the text" /></div>`;
  return html`<p>${/\$/.test(block.text) ? html`<${Words} text=${block.text} />` : html`<${Sentence} words=${block.text} />`}</p>`;
}
