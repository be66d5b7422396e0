// The bar between the panes: dragged, or moved with the arrow keys.
import { html, useEffect, useState } from "./vendor/preact.js";

const LEAST = 22, MOST = 70, STEP = 2;   // per cent of the width of the page
const clamped = share => Math.min(MOST, Math.max(LEAST, share));
const kept = () => clamped(+(localStorage.getItem("routh-split") ?? 38));

let apply = () => {};
/** Make the left pane wider by so many per cent of the page. */
export const widen = by => apply(share => share + by);

export function Splitter() {
  const [share, setShare] = useState(kept());
  apply = change => setShare(before => clamped(change(before)));
  useEffect(() => {
    document.documentElement.style.setProperty("--left", `${share}%`);
    localStorage.setItem("routh-split", share.toFixed(1));
  }, [share]);
  const drag = event => {
    event.currentTarget.setPointerCapture(event.pointerId);
    event.preventDefault();
  };
  const slide = event => event.currentTarget.hasPointerCapture(event.pointerId) && setShare(clamped(100 * event.clientX / innerWidth));
  const key = event => {
    const by = { ArrowLeft: -STEP, ArrowRight: STEP }[event.key];
    const to = { Home: LEAST, End: MOST }[event.key];
    if (by === undefined && to === undefined) return;
    event.preventDefault();
    setShare(clamped(to ?? share + by));
  };
  return html`<div class="splitter" role="separator" aria-orientation="vertical" aria-label="width of the text pane" tabindex="0"
    aria-valuemin=${LEAST} aria-valuemax=${MOST} aria-valuenow=${Math.round(share)} onPointerDown=${drag} onPointerMove=${slide} onKeyDown=${key} onDblClick=${() => setShare(38)}></div>`;
}
