// The mechanism, moved by hand to where motions start.
import { html, useEffect, useMemo, useRef, useState } from "../vendor/preact.js";
import { ask } from "../desk.js";
import { useStore } from "../store.js";
import { Refusal, Result, useAnswer, useDeed, useSubject } from "../asking.js";
import { Clock, stillness } from "../clock.js";
import { Svg } from "../safe_svg.js";
import { Letter } from "../maths.js";
import { NumberField, printedUnit, written } from "../numbers.js";
import { Controls, Stage } from "../player.js";
import { isAngle, sameNumbers, standOn, startAt, startOf, startOfFile } from "../position.js";

const STEP = 4, FAR = 20;   // units of the picture that an arrow key moves a handle, and with shift

export default function Picture({ active }) {
  const { text, sizes, model, ready } = useSubject(), start = useStore(s => s.start), values = useStore(s => s.values);
  const [moved, move] = useState(null), [running, run] = useState(false);
  const from = model && startOf(model, start);
  // where the hand has put it, it is drawn already, and in the frame of before
  const dragged = moved && from && sameNumbers(moved.q, from.q) && moved.text === text && moved.values === values;
  const place = useRef(null);
  if (ready && !dragged) place.current = { text, values, sizes, q: from.q };
  const asked = useAnswer("picture", ready ? place.current : null, { active, follow: true });
  const shown = dragged || moved?.dragging ? moved.answer : asked.answer;
  const letGo = q => { move(old => old && { ...old, dragging: false }); startAt(q); run(true); };
  if (!model) return html`<${Result} asked=${asked} words="Drawing" />`;
  return html`<div class="picture-tab">
    <div class="mechanism">
      <${Result} asked=${{ ...asked, stale: false }} words="Drawing the mechanism">
        ${shown && html`<${Mechanism} shown=${shown} subject=${{ text, values, sizes }} onmove=${(answer, dragging) => move({ answer, q: answer.q, text, values, dragging })} ongo=${letGo} />`}
      <//>
      ${running && html`<${Run} active=${active} start=${from} />`}
    </div>
    <${Places} model=${model} from=${from} held=${shown?.held || []} running=${running} onrun=${() => run(true)} onstop=${() => run(false)} />
  </div>`;
}

/** The picture with its handles; a handle is dragged along admissible positions, the newest place wins. */
function Mechanism({ shown, subject, onmove, ongo }) {
  const drag = useDragging(shown, subject, onmove, ongo), layer = useRef(null);
  const [, , wide, tall] = useMemo(() => boxOf(shown.svg), [shown.svg]), [x0, y0] = boxOf(shown.svg);
  const at = event => { const p = new DOMPoint(event.clientX, event.clientY).matrixTransform(layer.current.getScreenCTM().inverse()); return [p.x, p.y]; };
  const grip = handle => ({
    onPointerDown: e => { e.preventDefault(); e.currentTarget.setPointerCapture(e.pointerId); e.currentTarget.focus(); drag.begin(handle.key); },
    onPointerMove: e => { if (drag.held === handle.key) drag.to(at(e)); },
    onPointerUp: e => { if (drag.held === handle.key) drag.end(at(e)); },
    onPointerCancel: () => drag.end(null),
    onKeyDown: e => {
      const way = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[e.key];
      if (way) { e.preventDefault(); drag.nudge(handle, way.map(x => x * (e.shiftKey ? FAR : STEP))); }
      if (e.key === "Enter" || e.key === " ") { e.preventDefault(); ongo(shown.q); }
    },
  });
  const words = Object.entries(shown.q).map(([name, x]) => `${name} = ${written(x)}`).join(", ");
  return html`<div class="moved-by-hand" style=${{ aspectRatio: `${wide} / ${tall}`, "--wide": `${wide}px`, "--shape": wide / tall }}>
    <${Svg} svg=${shown.svg} label="the mechanism" class="drawn" />
    <svg ref=${layer} class="handles" viewBox=${`${x0} ${y0} ${wide} ${tall}`}>
      ${drag.pull && html`<line class="pull" x1=${drag.pull[0]} y1=${drag.pull[1]} x2=${drag.target[0]} y2=${drag.target[1]} />`}
      ${shown.handles.map(h => html`<g key=${h.key} class=${`handle${drag.held === h.key ? " held" : ""}${h.name ? "" : " minor"}`} transform=${`translate(${h.x} ${h.y})`} tabindex="0" role="slider"
          aria-label=${`${h.name || "a corner"}: drag it, or move it with the arrow keys; Enter lets go`} aria-valuetext=${words} aria-valuenow=${0} ...${grip(h)}>
        <circle r="16" class="reach" /><circle r="9" class="ring" />${h.name && html`<title>${h.name}</title>`}</g>`)}
    </svg>
  </div>`;
}

function boxOf(svg) {
  const box = /viewBox="([^"]+)"/.exec(svg);
  return box ? box[1].trim().split(/[\s,]+/).map(Number) : [0, 0, 320, 320];
}

function useDragging(shown, subject, onmove, ongo) {
  const mine = useRef({}), [held, hold] = useState(null), [target, aim] = useState(null);
  const m = mine.current;
  m.shown ??= shown;
  if (!m.busy && !m.next) m.shown = shown;
  const pump = async () => {
    if (m.busy || !m.next) return;
    const { handle, to } = m.next;
    m.next = null; m.busy = true;
    try {
      m.shown = await ask("drag", { ...subject, q: m.shown.q, handle, to, view: m.shown.view });
      onmove(m.shown, m.handle !== null);
      if (m.nudged) startAt(m.shown.q);   // keys have no moment of letting go: every step is a start
    } catch { /* a newer place was asked for, or there is none: the last one stays */ }
    m.busy = false;
    if (m.next) pump(); else if (m.ended) { m.ended = false; ongo(m.shown.q); }
  };
  const to = place => { aim(place); m.next = { handle: m.handle, to: place }; pump(); };
  const end = place => {
    if (place) to(place);
    m.handle = null; m.ended = true; hold(null); aim(null);
    if (!m.busy && !m.next) { m.ended = false; ongo(m.shown.q); }
  };
  const begin = handle => { m.handle = handle; m.ended = m.nudged = false; hold(handle); };
  const nudge = (handle, [dx, dy]) => {
    const now = m.shown.handles.find(h => h.key === handle.key) || handle, last = m.next?.handle === handle.key ? m.next.to : [now.x, now.y];
    m.handle = null; m.nudged = true; m.next = { handle: handle.key, to: [last[0] + dx, last[1] + dy] };
    pump();
  };
  const grip = held && shown.handles.find(h => h.key === held);
  return { held, target, pull: grip && target && Math.hypot(grip.x - target[0], grip.y - target[1]) > 12 ? [grip.x, grip.y] : null, begin, to, end, nudge };
}

/** The numbers of the position, and what can be done with it. */
function Places({ model, from, held, running, onrun, onstop }) {
  const values = useStore(s => s.settled), settle = useDeed();
  const change = (name, x) => startAt({ ...from.q, [name]: x });
  const rest = () => settle.go("live", { values, q: from.q }, answer => { startAt(answer.q); standOn({ ...answer, family: 1 }); });
  return html`<section class="places" aria-label="position at the start">
    <h3>Start</h3>
    <table class="plain"><tbody>${model.coordinates.map(c => html`<tr key=${c.name}>
      <th scope="row"><${Letter} latex=${c.latex} name=${c.name} /></th>
      <td><${NumberField} value=${from.q[c.name]} name=${c.name} unit=${printedUnit(c.unit)} disabled=${held.includes(c.name)} onvalue=${x => change(c.name, x)} /></td>
      <td class="aside">${isAngle(c) ? `${written(from.q[c.name] * 180 / Math.PI, 4)}°` : held.includes(c.name) ? "held" : ""}</td>
    </tr>`)}</tbody></table>
    <div class="buttons">
      <button type="button" class="main" onClick=${running ? onstop : onrun}>${running ? "Stop" : "Let go"}</button>
      <button type="button" onClick=${rest} title="move to the equilibrium nearest to this position and stand on it">Rest here</button>
      <button type="button" onClick=${startOfFile}>Start of the file</button>
    </div>
    <${Refusal} sentence=${settle.sentence} />
    <p class="note">Drag a handle, or focus it and use the arrow keys. Letting go runs the motion from there.</p>
  </section>`;
}

/** The motion from here, played beside the picture. */
function Run({ active, start }) {
  const { text, values, sizes, model, ready } = useSubject(), until = useStore(s => s.until);
  const clock = useMemo(() => new Clock(), []);
  const asked = useAnswer("motion", ready ? { text, values, sizes, start, until: until ?? model.motion?.until } : null, { active });
  const drawing = asked.answer?.drawing;
  useEffect(() => {
    if (!drawing) return;
    clock.over(drawing.t[0], drawing.t[drawing.t.length - 1], drawing.speed || 1);
    if (!stillness.matches) clock.play();
  }, [drawing]);
  useEffect(() => { if (!active) clock.pause(); return () => clock.pause(); }, [active]);
  return html`<div class="run">
    <${Result} asked=${asked} words="Computing the motion">
      ${drawing ? html`<${Stage} drawing=${drawing} clock=${clock} label="the motion from this position" /><${Controls} clock=${clock} />` : html`<p class="note">Nothing is drawn of this model; its motion stands in the tab Motion.</p>`}
    <//>
  </div>`;
}
