// The state of one open page, in one object; parts of the page listen to the piece they draw.
import { useLayoutEffect, useReducer, useRef } from "./vendor/preact.js";

/**
 * text, revision   the model as written, and a number that rises with every change of it; opened rises when it is another model altogether
 * name             what the text came from: { kind: "example"|"file"|"link"|"new", name }; saved: the text as it is on disk
 * hello            the server's first answer (examples, functions, schema, limits), null until it comes
 * model, refused   the last good `read` answer with its text, and the mistake of the present text: { sentence, place, what } or null
 * values, settled  numbers of all parameters under the hand; the same after the hand has let go (what expensive tabs ask with)
 * sizes            numbers of functions of the fields
 * ranges           ends of the sliders a person has typed: { parameter: [low, high] }
 * q, rest, start   position stood on (null: the file's guess), the equilibrium clicked last, { q, rates } of motions
 * want             what `live` shall bring beside the modes: { want: ["response"], input, output }, set by the tab on screen
 * live             the last `live` answer, or { refused: sentence }; liveStale where a newer one is long under way
 * reading          the `read` ask where it takes long, so that it can be cancelled
 * held             the variant kept beside: { values, q, live, label } or null
 */
export const state = {
  text: "", revision: 0, opened: 0, name: { kind: "new", name: "" }, saved: null, hello: null,
  model: null, refused: null, reading: null, values: {}, settled: {}, sizes: {}, ranges: {}, q: null, rest: null, start: {q: {}, rates: {}},
  want: null, live: null, liveStale: false, held: null,
  tab: "picture", pane: "model", theme: "auto", connected: false, lost: null, busy: 0, dialog: null, notice: null,
};

const listeners = new Set();

/** Merge `patch` into the state and tell everybody who listens. */
export function set(patch) {
  Object.assign(state, patch);
  for (const each of [...listeners]) each();
}

/** Call `listener` after every change; returns the function that ends it. */
export function subscribe(listener) {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Call `reaction(now, before)` when what `selector` picks has changed. */
export function watch(selector, reaction) {
  let before = selector(state);
  return subscribe(() => {
    const now = selector(state);
    if (Object.is(now, before)) return;
    const old = before;
    before = now;
    reaction(now, old);
  });
}

/** The piece of the state that `selector` picks; the component is drawn again only when that piece changes. */
export function useStore(selector) {
  const [, redraw] = useReducer(n => n + 1, 0);
  const kept = useRef();
  kept.current = { selector, value: selector(state) };
  useLayoutEffect(() => {
    const check = () => {
      if (!Object.is(kept.current.selector(state), kept.current.value)) redraw();
    };
    check();
    return subscribe(check);
  }, []);
  return kept.current.value;
}
