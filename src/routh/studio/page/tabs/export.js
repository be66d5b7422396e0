// Files to take along, each said in one sentence.
import { html, useState } from "../vendor/preact.js";
import { set, useStore, watch } from "../store.js";
import { Refusal, Waiting, useDeed, useSubject } from "../asking.js";

const KINDS = [
  ["report", "Report", "Everything about the model on one page that stands alone: equations, equilibria, modes, motion, pictures.", true],
  ["notebook", "Notebook", "A Jupyter notebook that builds the model and asks the questions of these tabs."],
  ["python", "Python", "Equations of motion and linear matrices as a module that needs NumPy alone."],
  ["c", "C", "The same in C, with a header, for controllers and other simulators."],
  ["fmu", "FMU", "A unit for co-simulation and model exchange (FMI 3) that simulators open."],
  ["latex", "LaTeX", "The formulas, from the energies to the equations of motion, as a document."],
  ["toml", "Model file", "The model as it is written here, with the numbers of the sliders."],
  ["animation", "Animation", "A page that plays the motion from the present start, and stands alone.", true],
];

const MORE = [
  ["paper", "Report as LaTeX", "The report as a document for pdflatex."],
  ["markdown", "Report as Markdown", "The report as a text with pictures."],
  ["script", "Script", "A Python script that calls Routh's verbs, from the model to its motion."],
  ["jax", "JAX", "The equations as a module for JAX, to be differentiated and batched."],
  ["matlab", "MATLAB", "The equations as functions for MATLAB and Octave."],
  ["julia", "Julia", "The equations as a module for Julia."],
  ["modelica", "Modelica", "The equations as a Modelica model."],
  ["casadi", "CasADi", "The engine's own functions, for optimal control."],
  ["fmu2", "FMU 2", "The same unit in the older form, FMI 2."],
];

export default function Export() {
  const { text, values, sizes, ready } = useSubject(), start = useStore(s => s.start), until = useStore(s => s.until), [made, keep] = useState({});
  const about = { text, values, sizes, start, ...(until ? { until } : {}) }, stamp = JSON.stringify(about);
  const row = ([what, title, words, opened]) => html`<${Kind} key=${what} title=${title} words=${words} opened=${opened} ready=${ready} about=${{ ...about, what }}
    made=${made[what]?.stamp === stamp ? made[what] : null} onmade=${answer => keep(old => ({ ...old, [what]: { ...answer, stamp } }))} />`;
  return html`<div class="export-tab"><ul class="exports">
    ${KINDS.map(row)}
    <li><span class="about"><b>Print</b> <span>This page as it is, with the tab that was looked at last before this one.</span></span><span class="buttons"><button type="button" onClick=${printLast}>Print</button></span></li></ul>
    <details class="more"><summary>More languages and forms</summary><ul class="exports">${MORE.map(row)}</ul></details></div>`;
}

function Kind({ title, words, opened, ready, about, made, onmade }) {
  const deed = useDeed();
  return html`<li><span class="about"><b>${title}</b> <span>${words}</span>
      <${Waiting} ...${deed} words=${`Making the ${title.toLowerCase()}`} /><${Refusal} sentence=${deed.sentence} /></span>
    <span class="buttons"><button type="button" disabled=${!ready || deed.asking} aria-label=${`make ${title}`} onClick=${() => deed.go("export", about, onmade)}>${deed.asking ? "Making …" : made ? "Make again" : "Make"}</button>
      ${made && html`<a class="made" href=${made.url} ...${opened ? { target: "_blank", rel: "noopener" } : { download: made.name }}>${opened ? "Open" : "Download"} ${made.name} <span class="aside">${sized(made.size)}</span></a>`}</span></li>`;
}

const sized = bytes => (bytes < 1e3 ? `${bytes} B` : bytes < 1e6 ? `${Math.round(bytes / 1e3)} kB` : `${(bytes / 1e6).toFixed(1)} MB`);

let last = "picture";
watch(s => s.tab, now => { if (now !== "export") last = now; });

/** The tab looked at before this one is shown, printed, and left again. */
function printLast() {
  set({ tab: last });
  setTimeout(() => { print(); set({ tab: "export" }); }, 250);
}
