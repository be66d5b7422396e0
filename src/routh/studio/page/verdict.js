// The verdict, always in sight: a word and its colour, why, where, and the eigenvalues; a second line for the variant kept beside.
import { html } from "./vendor/preact.js";
import { moveAll } from "./following.js";
import { Letter } from "./maths.js";
import { complex, written } from "./numbers.js";
import { Sentence } from "./sentence.js";
import { set, state, useStore } from "./store.js";

const SHOWN = 6, SHOWN_COORDINATES = 4;   // eigenvalues and coordinates written out; the Modes and Equilibria tabs have all

const classOf = verdict => (verdict ?? "").startsWith("asymptotically") ? "asymptotically" : ["stable", "unstable"].find(each => (verdict ?? "").startsWith(each)) ?? "undecided";

const SHAPES = { stable: "M2 3c1.5 8 10.5 8 12 0", asymptotically: "M2 3c1.5 8 10.5 8 12 0", unstable: "M2 12c1.5-8 10.5-8 12 0", undecided: "M2 10h12" };
const BALLS = { stable: 6, asymptotically: 6, unstable: 3.2, undecided: 7 };

/** A ball in a bowl, on a hill, on a plane: the verdict for those who do not see its colour. */
export function Badge({ verdict }) {
  const kind = classOf(verdict);
  return html`<span class=${`badge ${kind}`}><svg viewBox="0 0 16 14" aria-hidden="true"><path d=${SHAPES[kind]} /><circle cx="8" cy=${BALLS[kind]} r="2.4" /></svg>${verdict}</span>`;
}

/** Conjugate pairs are written once, with ±. */
export function pairs(eigenvalues) {
  const size = Math.max(1e-300, ...eigenvalues.map(([re, im]) => Math.hypot(re, im)));
  return eigenvalues.filter(([, im]) => im > -1e-9 * size).map(([re, im]) => {
    const alone = Math.abs(im) <= 1e-9 * size;
    const small = Math.abs(re) <= 1e-9 * size;
    return alone ? complex([small ? 0 : re, 0]) : `${small ? "" : `${written(re)} `}±${small ? "" : " "}${written(im)} i`;
  });
}

const settledZero = x => (Math.abs(x) < 1e-12 ? 0 : x);

/** Where the rest is: its coordinates, as many as there is room for. */
function Place({ live }) {
  const coordinates = (useStore(s => s.model?.coordinates) ?? []).filter(each => live.q?.[each.name] !== undefined);
  const shown = coordinates.slice(0, SHOWN_COORDINATES), more = coordinates.length - shown.length;
  return html`<span class="place" title=${(live.place ?? "").replaceAll("`", "")}>
    ${shown.map(each => html`<span key=${each.name}><${Letter} latex=${each.latex} name=${each.name} /> = ${written(settledZero(live.q[each.name]))}</span>`)}${more > 0 && html`<span class="note">+${more}</span>`}
  </span>`;
}

function Line({ live, stale }) {
  if (!live) return html`<span class="note">no verdict yet</span>`;
  if (live.refused) return html`<span class="sentence"><${Sentence} words=${live.refused} /></span>`;
  const all = pairs(live.eigenvalues ?? []), shown = all.slice(0, SHOWN);
  return html`<span class=${`line ${stale ? "stale" : ""}`}>
    <${Badge} verdict=${live.verdict} /><${Place} live=${live} />
    <span class="reason" title=${live.reason}><${Sentence} words=${live.reason} /></span>
    <span class="eigenvalues" title="eigenvalues">${shown.map(each => html`<span>${each}</span>`)}${all.length > SHOWN && html`<span class="note">+${all.length - SHOWN}</span>`}</span>
  </span>`;
}

const keepBeside = () => set({ held: { values: state.values, q: state.live?.q ?? state.q, live: state.live, label: "kept" } });

function swap() {
  const { held, values, live, q } = state;
  const place = held.q ?? null;   // each variant stands on its own rest
  set({ held: { ...held, values, live, q: live?.q ?? q }, values: held.values, q: place, rest: null, live: { ...held.live, from: place } });
  moveAll(held.values);
}

export function Verdict() {
  const live = useStore(s => s.live), held = useStore(s => s.held), refused = useStore(s => s.refused !== null || s.liveStale), model = useStore(s => s.model !== null);
  if (!model) return html`<section class="verdict" aria-label="Verdict"><span class="note">the verdict comes with the model</span></section>`;
  return html`<section class=${`verdict ${held ? "two" : ""}`} aria-label="Verdict">
    <div class="row">${held && html`<b class="which">now</b>`}<${Line} live=${live} stale=${refused} />
      ${!held && html`<button class="quiet keep" onClick=${keepBeside} disabled=${!live || live.refused} title="keep these numbers in sight while you move on">Keep beside</button>`}</div>
    ${held && html`<div class="row"><b class="which">${held.label}</b><${Line} live=${held.live} />
      <span class="keep"><button class="quiet" onClick=${swap}>Swap</button><button class="quiet" onClick=${() => set({ held: null })}>Drop</button></span></div>`}
    <p class="unseen" role="status">${live?.refused ?? live?.verdict ?? ""}</p>
  </section>`;
}
