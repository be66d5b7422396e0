// Files to take along, each said in one sentence.
import { html, useState } from "../vendor/preact.js";
import { Refusal, Waiting, useDeed, useSubject } from "../asking.js";

const KINDS = [
  ["report", "Report", "Everything about the model on one page that stands alone: equations, equilibria, modes, motion, pictures.", true],
  ["notebook", "Notebook", "A Jupyter notebook that builds the model and asks the questions of these tabs."],
  ["latex", "LaTeX", "The formulas, from the energies to the equations of motion, as a document."],
  ["python", "Python", "Equations of motion and linear matrices as a module that needs NumPy alone."],
  ["c", "C", "The same in C99, with a header, for controllers and other simulators."],
  ["fmu", "FMU", "A unit for co-simulation and model exchange that Simulink, Dymola and others open."],
  ["toml", "Model file", "The model as it is written here, with the numbers of the sliders."],
];

export default function Export() {
  const { text, values, sizes, ready } = useSubject(), [made, keep] = useState({});
  return html`<div class="export-tab"><ul class="exports">
    ${KINDS.map(([what, title, words, opened]) => html`<${Kind} key=${what} what=${what} title=${title} words=${words} opened=${opened} ready=${ready}
      about=${{ text, values, sizes, what }} made=${made[what]?.text === text && made[what]?.values === values ? made[what] : null} onmade=${answer => keep(old => ({ ...old, [what]: { ...answer, text, values } }))} />`)}
    <li><span class="about"><b>Print</b> <span>This page as it is, the tab on the screen alone.</span></span><span class="buttons"><button type="button" onClick=${() => print()}>Print</button></span></li>
  </ul></div>`;
}

function Kind({ what, title, words, opened, ready, about, made, onmade }) {
  const deed = useDeed();
  return html`<li><span class="about"><b>${title}</b> <span>${words}</span>
      <${Waiting} ...${deed} words=${`Making the ${title.toLowerCase()}`} /><${Refusal} sentence=${deed.sentence} /></span>
    <span class="buttons"><button type="button" disabled=${!ready || deed.asking} aria-label=${`make ${title}`} onClick=${() => deed.go("export", about, onmade)}>${deed.asking ? "Making …" : made ? "Make again" : "Make"}</button>
      ${made && html`<a class="made" href=${made.url} ...${opened ? { target: "_blank", rel: "noopener" } : { download: made.name }}>${opened ? "Open" : "Download"} ${made.name} <span class="aside">${sized(made.size)}</span></a>`}</span></li>`;
}

const sized = bytes => (bytes < 1e3 ? `${bytes} B` : bytes < 1e6 ? `${Math.round(bytes / 1e3)} kB` : `${(bytes / 1e6).toFixed(1)} MB`);
