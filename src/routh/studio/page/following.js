// What follows from a change: a new text is read, moved values or another place bring new numbers at once.
import { ask } from "./desk.js";
import { set, state, watch } from "./store.js";

const TYPING_PAUSE = 120, HAND_REST = 150;   // ms without a key before a text is read; without a move before values count as let go
const LONG = 400;                            // ms after which the page says that it waits
let typing = null, resting = null, stamp = null, following = false, again = false;

window.routhLatency = [];

/** Take another text; `opened` when it is another model altogether, so that nothing of the old one stays. */
export function write(text, opened = null) {
  const forgotten = { model: null, values: {}, settled: {}, sizes: {}, ranges: {}, q: null, rest: null, live: null, held: null, refused: null };
  set({ text, revision: state.revision + 1, ...(opened ? { ...forgotten, opened: state.opened + 1, ...opened } : {}) });
  clearTimeout(typing);
  typing = setTimeout(read, opened ? 0 : TYPING_PAUSE);
}

async function read() {
  const { revision, text } = state;
  if (!text.trim()) return set({ model: null, refused: null, live: null });
  const asked = ask("read", { text, values: {}, sizes: {} });   // the server drops the older one itself
  const waiting = setTimeout(() => revision === state.revision && set({ reading: asked }), LONG);
  let model = null, refused = null;
  try {
    model = await asked;
  } catch (mistake) {
    refused = mistake;
  }
  clearTimeout(waiting);
  if (state.reading === asked) set({ reading: null });
  if (revision !== state.revision) return;
  if (model) understood(text, model);
  else set({ refused });
}

/** A text that reads: what the hand has moved stays moved, unless the file now says another number. */
function understood(text, model) {
  const before = state.model;
  const kept = (now, list, key, moved) => {
    const old = before?.[list].find(each => each.name === now.name);
    return old && old[key] === now[key] && now.name in moved ? moved[now.name] : now[key];
  };
  const values = {}, sizes = {};
  for (const each of model.parameters) {
    const value = kept(each, "parameters", "value", state.values);
    if (value !== null && value !== undefined) values[each.name] = value;
  }
  for (const each of model.fields) if (state.sizes[each.name] !== undefined) sizes[each.name] = kept(each, "fields", "count", state.sizes);
  const names = list => (list ?? []).map(each => each.name).join();
  const same = names(before?.coordinates) === names(model.coordinates);
  const starts = each => `${each.start} ${each.rate}`;
  const begun = same && before.coordinates.map(starts).join() === model.coordinates.map(starts).join();
  const start = begun ? state.start : {
    q: Object.fromEntries(model.coordinates.map(each => [each.name, each.start ?? 0])),
    rates: Object.fromEntries(model.coordinates.map(each => [each.name, each.rate ?? 0])),
  };
  set({ model: { ...model, text }, refused: null, values, settled: values, sizes, start, q: same ? state.q : null, rest: same ? state.rest : null });
  follow();
}

/** Move one parameter under the hand; `time` is that of the input event. */
export function move(name, value, time = performance.now()) {
  stamp ??= time;
  performance.mark("slider-input");
  set({ values: { ...state.values, [name]: value } });
  follow();
}

/** Move all parameters at once and let go. */
export function moveAll(values) {
  set({ values });
  follow();
  letGo();
}

/** The hand has let go, and the expensive parts may ask again: at once after a pointer, after a short rest where keys may follow. */
export function letGo({ atOnce = false } = {}) {
  clearTimeout(resting);
  const settle = () => { if (state.settled !== state.values) set({ settled: state.values }); };
  if (atOnce) settle();
  else resting = setTimeout(settle, HAND_REST);
}

const missing = () => (state.model?.parameters ?? []).filter(each => state.values[each.name] === undefined).map(each => each.name);

/** Bring the numbers up to date: one ask under way, the newest waits, those between are never sent. */
async function follow() {
  if (!state.model) return;
  if (following) { again = true; return; }
  following = true;
  try {
    do await followOnce(); while (again && state.model);
  } finally {
    following = false;
  }
}

async function followOnce() {
  again = false;
  const since = stamp, { opened } = state;
  stamp = null;
  const waiting = setTimeout(() => set({ liveStale: true }), LONG);
  const found = await liveOf(state.values, state.live?.from === state.q ? state.live?.q ?? state.q : state.q);
  clearTimeout(waiting);
  if (state.liveStale) set({ liveStale: false });
  if (!state.model || state.opened !== opened) return;   // of a model that has been left meanwhile
  if (found) set({ live: found });
  if (since !== null) drawnSince(since);
  if (!state.held?.stale) return;
  const beside = await liveOf(state.held.values, state.held.q);
  if (state.held && state.opened === opened) set({ held: { ...state.held, stale: false, live: beside ?? state.held.live } });
}

const OVERTAKEN = new Set(["superseded", "text"]);   // reasons of the server: something newer is under way

/** The `live` answer for these values from this guess, or {refused}; null where it is overtaken by a newer one. */
async function liveOf(values, guess) {
  const from = state.q;
  const lacking = missing();
  if (lacking.length) return { refused: `No value yet for ${lacking.map(each => `\`${each}\``).join(", ")}.`, from };
  try {
    const { want, ...more } = state.want ?? {};
    const found = await ask("live", { values, want: ["modes", ...(want ?? [])], ...more, ...(guess ? { q: guess } : {}) });
    return { ...found, from };
  } catch (mistake) {
    return OVERTAKEN.has(mistake.why) ? null : { refused: mistake.sentence, q: state.live?.q, from };
  }
}

/** Record the time from the input event to the end of the frame in which its numbers were drawn. */
function drawnSince(time) {
  const { port1, port2 } = new MessageChannel();
  port1.onmessage = () => {
    performance.measure("slider-to-frame", { start: time, end: performance.now() });
    window.routhLatency.push(performance.now() - time);
    if (window.routhLatency.length > 10000) window.routhLatency.splice(0, 5000);
    performance.clearMarks("slider-input");
    performance.clearMeasures("slider-to-frame");
    port1.close();
  };
  requestAnimationFrame(() => port2.postMessage(null));   // handled after this frame has been laid out and painted
}

/** Start to follow: another place stood on, other sizes or wishes of a tab, and a variant kept under another text, bring new numbers. */
export function startFollowing() {
  watch(s => s.q, follow);
  watch(s => s.sizes, () => state.model && follow());
  watch(s => s.want, now => now && follow());
  watch(s => s.model, () => state.held && set({ held: { ...state.held, stale: true } }));
  watch(s => s.connected, now => now && state.text && !state.model && write(state.text));
}
