// Where texts come from and where they are kept: examples, files, links, this browser, and the steps of the back button.
import { ask } from "./desk.js";
import { write } from "./following.js";
import { textOf } from "./link.js";
import { set, state, subscribe } from "./store.js";

const KEEPING_PAUSE = 300, NOTICE = 6000;   // ms
export const NEW_MODEL = `name = "pendulum"

[coordinates]
phi = {start = 0.5, unit = "rad"}

[parameters]
m = {value = 1, unit = "kg"}
l = {value = 1, unit = "m", range = [0.2, 3]}
g = {value = 9.81, unit = "m/s^2"}

[let]
r = "l*[sin(phi), -cos(phi)]"

[energy]
kinetic = "m/2*norm2(r')"
potential = "m*g*r[2]"

[drawing]
points = ["r"]
lines = [["[0, 0]", "r"]]
`;

/** Say something for a few seconds. */
export function notice(sentence, wrong = false) {
  const told = { sentence, wrong };
  set({ notice: told });
  setTimeout(() => state.notice === told && set({ notice: null }), NOTICE);
}

const addressOf = ({ kind, name }) => ({ example: `#example=${encodeURIComponent(name)}`, file: `#file=${encodeURIComponent(name)}` })[kind] ?? location.pathname + location.search;

/** Put another model on the desk; `step` makes it a step of the back button. */
export function take(text, name, { saved = null, step = true } = {}) {
  remember();
  if (step && state.text) history.pushState({ name, text, saved }, "", addressOf(name));
  else history.replaceState({ name, text, saved }, "", addressOf(name));
  write(text, { name, saved, dialog: null, pane: "model" });
}

/** The step one stands on keeps what has been typed, so that the back button brings it back. */
function remember() {
  if (state.text) history.replaceState({ name: state.name, text: state.text, saved: state.saved }, "");
}

export async function openExample(name, how) {
  const { text } = await ask("example", { name });
  take(text, { kind: "example", name }, how);
}

export async function openFile(path, how) {
  const found = await ask("open", { path });
  take(found.text, { kind: "file", name: found.path }, { saved: found.text, ...how });
}

export const openNew = () => take(NEW_MODEL, { kind: "new", name: "" });

/** Save under this path in the folder; a file that is there already is only replaced with `over`. */
export async function save(path, over) {
  const { text, opened } = state;
  const found = await ask("save", { path, text, over });
  if (state.opened !== opened) return notice(`Saved in ${found.path}.`);   // another model is on the desk by now, and not the one of this file
  set({ name: { kind: "file", name: found.path }, saved: text, dialog: null });
  history.replaceState({ name: state.name, text, saved: text }, "", addressOf(state.name));
  notice(`Saved in ${found.path}.`);
}

/** A file dragged into the page or picked from the disk is read here; nothing is sent but its text. */
export async function openDropped(file) {
  if (!file) return;
  const limit = state.hello?.limits?.text ?? 1e6;
  if (file.size > limit) return notice(`${file.name} has ${(file.size / 1e6).toFixed(1)} MB, and models may have ${(limit / 1e6).toFixed(1)} MB. Choose a model file (.toml).`, true);
  try {
    take(new TextDecoder("utf-8", { fatal: true }).decode(await file.arrayBuffer()), { kind: "new", name: file.name });
  } catch {
    notice(`${file.name} is no text. Choose a model file (.toml).`, true);
  }
}

/** Open what the address names: a model in it, an example or a file of the folder; false where it names nothing. */
async function openAddress(how) {
  const { hash } = location;
  const [, kind, name] = hash.match(/^#(example|file)=(.+)$/) ?? [];
  try {
    const text = await textOf(hash, state.hello?.limits?.text);
    if (text !== null) take(text, { kind: "link", name: "" }, how);
    else if (kind === "example") await openExample(decodeURIComponent(name), how);
    else if (kind === "file") await openFile(decodeURIComponent(name), how);
    else return false;
  } catch (mistake) {
    notice(mistake.sentence ?? mistake.message, true);
    return false;
  }
  return true;
}

const read = (store, key) => { try { return JSON.parse(store.getItem(key)); } catch { return null; } };
const keep = (store, key, value) => { try { store.setItem(key, JSON.stringify(value)); } catch { /* a full or forbidden store loses only the copy */ } };

/** The text this browser had last, in any of its pages. */
export const lastText = () => read(localStorage, "routh-last");

/** What was typed and moved is kept in the browser with every pause, for a reload and for another day. */
function startKeeping() {
  let timer = null, kept = null;
  const now = () => {
    const { text, name, saved, values, sizes, ranges, start, q, tab } = state;
    if (!text) return;
    keep(sessionStorage, "routh-page", { text, name, saved, values, sizes, ranges, start, q, tab });
    if (text !== kept) keep(localStorage, "routh-last", { text, name });
    kept = text;
  };
  subscribe(() => { clearTimeout(timer); timer = setTimeout(now, KEEPING_PAUSE); });
  addEventListener("pagehide", () => { now(); remember(); });
}

/** Begin: with what this page had before a reload, else what the address names, else the file of the command, else the gallery. */
export async function begin() {
  startKeeping();
  addEventListener("popstate", event => back(event.state));
  const page = read(sessionStorage, "routh-page");
  const arrived = performance.getEntriesByType("navigation")[0]?.type;
  const returning = arrived !== "navigate" || !location.hash;
  if (page?.tab) set({ tab: page.tab });
  if (page?.text && returning) return resume(page);
  if (await openAddress({ step: false })) return;
  const { file } = state.hello;
  if (file) {
    take(file.text || NEW_MODEL, { kind: "file", name: file.path }, { saved: file.text, step: false });
    if (file.remark) notice(file.remark);
  }
  else {
    take(NEW_MODEL, { kind: "new", name: "" }, { step: false });
    set({ dialog: "gallery" });
  }
}

/** What the page had before it was loaded anew; sliders and the start stand where they stood once the text has been read. */
function resume({ text, name, saved, values, sizes = {}, ranges = {}, start, q }) {
  write(text, { name, saved });
  const end = subscribe(() => {
    if (!state.model) return;
    end();
    const known = Object.fromEntries(Object.entries(values).filter(([each]) => each in state.values));
    set({ values: { ...state.values, ...known }, settled: { ...state.values, ...known }, sizes, ranges, start: start ?? state.start, q });
  });
}

async function back(step) {
  if (step?.text) write(step.text, { name: step.name, saved: step.saved, dialog: null });
  else await openAddress({ step: false });
}
