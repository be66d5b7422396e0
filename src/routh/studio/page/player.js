// Motions on a canvas, in the plane and in space: a stage, and the buttons under it.
import { html, useEffect, useRef, useState } from "./vendor/preact.js";
import { useStore } from "./store.js";
import { PlanePainter } from "./plane_painter.js";
import { SpacePainter } from "./space_painter.js";
import { moment } from "./tracks.js";
import { COLOURS, inkOf } from "./plots.js";
import { written } from "./numbers.js";

/** A motion drawn at the time of a clock; in space it is turned by hand, with arrow keys, + and -.
 *
 * `around` are drawings whose places must fit too, so that two stages have one scale.
 */
export function Stage({ drawing, clock, label, trail = true, around = [], small = false }) {
  const canvas = useRef(null), painter = useRef(null), theme = useStore(s => s.theme);
  useEffect(() => {
    const old = painter.current;
    painter.current = drawing.space ? new SpacePainter(drawing) : new PlanePainter(drawing, [drawing, ...around]);
    if (drawing.space && old instanceof SpacePainter) painter.current.takeView(old);
  }, [drawing, ...around]);
  useEffect(() => {
    const stage = canvas.current;
    const look = lookOf(stage, trail ? drawing.trail || 1 : 0);
    let seen = true;
    const draw = () => { if (seen && painter.current) drawn(stage, painter.current, moment(drawing.t, clock.time), look); };
    const watch = new IntersectionObserver(entries => { seen = entries[entries.length - 1].isIntersecting; draw(); });
    const sized = new ResizeObserver(draw);
    watch.observe(stage); sized.observe(stage);
    const quiet = clock.on(draw);
    const hands = drawing.space ? turnedByHand(stage, painter, draw) : () => {};
    return () => { watch.disconnect(); sized.disconnect(); quiet(); hands(); };
  }, [drawing, clock, trail, theme]);
  const how = drawing.space ? "; drag or arrow keys turn it, + and − zoom, 0 goes back" : "";
  return html`<canvas ref=${canvas} class=${`stage${drawing.space ? " turned" : ""}${small ? " small" : ""}`} role="img"
    tabindex=${drawing.space ? 0 : undefined} aria-label=${label + how} title=${drawing.space ? how.slice(2) : undefined}></canvas>`;
}

const lookOf = (element, trail) => ({ ...inkOf(element), colours: COLOURS(element), trail });

function drawn(stage, painter, now, look) {
  const ratio = window.devicePixelRatio || 1, width = stage.clientWidth, height = stage.clientHeight;
  if (!width || !height) return;
  if (stage.width !== Math.round(width * ratio) || stage.height !== Math.round(height * ratio)) {
    stage.width = Math.round(width * ratio); stage.height = Math.round(height * ratio);
  }
  const pen = stage.getContext("2d");
  pen.setTransform(ratio, 0, 0, ratio, 0, 0);
  pen.clearRect(0, 0, width, height);
  painter.paint(pen, width, height, now, look);
}

const KEYS = {
  ArrowLeft: p => p.turn(-0.1, 0), ArrowRight: p => p.turn(0.1, 0), ArrowUp: p => p.turn(0, 0.1), ArrowDown: p => p.turn(0, -0.1),
  "+": p => p.nearer(1.2), "=": p => p.nearer(1.2), "-": p => p.nearer(1 / 1.2), 0: p => p.back(),
};

function turnedByHand(stage, painter, draw) {
  const ending = new AbortController(), on = (what, act, more = {}) => stage.addEventListener(what, act, { signal: ending.signal, ...more });
  const grips = new Map();                 // a finger or the mouse turns, two fingers zoom
  on("keydown", e => { if (KEYS[e.key] && !e.ctrlKey && !e.metaKey && !e.altKey) { e.preventDefault(); KEYS[e.key](painter.current); draw(); } });
  on("pointerdown", e => { grips.set(e.pointerId, [e.clientX, e.clientY]); stage.setPointerCapture(e.pointerId); });
  for (const end of ["pointerup", "pointercancel"]) on(end, e => { grips.delete(e.pointerId); });
  on("pointermove", e => {
    const was = grips.get(e.pointerId);
    if (!was) return;
    const now = [e.clientX, e.clientY];
    if (grips.size === 2) {
      const [other] = [...grips].filter(([id]) => id !== e.pointerId).map(([, p]) => p);
      painter.current.nearer(Math.hypot(now[0] - other[0], now[1] - other[1]) / (Math.hypot(was[0] - other[0], was[1] - other[1]) || 1));
    } else painter.current.turn((now[0] - was[0]) / 150, (now[1] - was[1]) / 150);
    grips.set(e.pointerId, now);
    draw();
  });
  on("wheel", e => {                       // the page scrolls on until the stage was clicked
    if (document.activeElement !== stage && !e.ctrlKey) return;
    e.preventDefault(); painter.current.nearer(Math.exp(-e.deltaY / 500)); draw();
  }, { passive: false });
  return () => ending.abort();
}

const SPEEDS = [0.1, 0.25, 0.5, 1, 2, 4, 10];

/** Play, time, speed: what moves the clock. */
export function Controls({ clock, trail, ontrail }) {
  const scrub = useRef(null), told = useRef(null);
  const [playing, say] = useState(clock.playing), [speed, hurry] = useState(clock.speed);
  useEffect(() => clock.on(({ time, first, last, playing, speed }) => {
    const span = last - first || 1, digits = Math.min(6, Math.max(0, 2 - Math.floor(Math.log10(span))));
    scrub.current.value = (time - first) / span;
    scrub.current.setAttribute("aria-valuetext", `t = ${written(time)}`);
    told.current.textContent = `t = ${time.toFixed(digits)}`;
    say(playing); hurry(speed);
  }), [clock]);
  const seek = e => { clock.pause(); clock.seek(clock.first + (clock.last - clock.first) * +e.target.value); };
  const speeds = SPEEDS.includes(speed) ? SPEEDS : [...SPEEDS, speed].sort((a, b) => a - b);
  return html`<div class="controls">
    <button type="button" class="play" onClick=${() => (playing ? clock.pause() : clock.play())} aria-pressed=${playing}>${playing ? "Pause" : "Play"}</button>
    <input ref=${scrub} type="range" min="0" max="1" step="0.0005" aria-label="time" onInput=${seek} />
    <output ref=${told} class="clock"></output>
    <label class="quiet">speed <select aria-label="speed" value=${speed} onChange=${e => { clock.speed = +e.target.value; hurry(clock.speed); }}>
      ${speeds.map(each => html`<option value=${each}>${written(each, 2)}</option>`)}
    </select></label>
    ${ontrail && html`<label class="quiet"><input type="checkbox" checked=${trail} onChange=${e => ontrail(e.target.checked)} /> trail</label>`}
  </div>`;
}
