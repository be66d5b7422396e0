// The connection to the server: asks go out numbered, answers find their way back, and a lost connection is taken up again.
import { set, state } from "./store.js";

const TAKEN_OVER = 4001;                       // close code: another page has taken this desk
const FIRST_WAIT = 400, LONGEST_WAIT = 8000;   // ms between attempts to connect again; doubled each time
const asked = new Map();                       // n -> { message, resolve, reject, part, progress }; n rises over reloads too
let socket = null, counted = Math.floor(performance.timeOrigin), waited = FIRST_WAIT, timer = null, known = false;

export const desk = { id: null };

/**
 * Ask the server; a promise of the answer, with `cancel()`.
 *
 * The values and sizes of the store go along unless `about` has them, and the last text that could be read, so that sliders go on while one types.
 * It rejects with { kind: "refused"|"stopped", sentence, place, what }.
 */
export function ask(kind, about = {}, { part, progress } = {}) {
  const n = ++counted;
  const whole = { text: state.model?.text ?? state.text, values: state.values, sizes: state.sizes, ...about };
  const message = { n, ask: kind, about: whole };
  if (!state.connected) overtake(kind);
  const promise = new Promise((resolve, reject) => asked.set(n, { message, resolve, reject, part, progress }));
  promise.cancel = () => cancel(n);
  set({ busy: asked.size });
  send(message);
  return promise;
}

/** Without a connection only the newest ask of a kind waits for it. */
function overtake(kind) {
  for (const [n, { message, reject }] of [...asked]) {
    if (message.ask === kind) settle(n, () => reject({ kind: "superseded", why: "superseded", sentence: "A newer ask has taken its place.", place: null, what: null }));
  }
}

function cancel(n) {
  const entry = asked.get(n);
  if (!entry) return;
  send({ ask: "cancel", about: { n } });
  settle(n, () => entry.reject({ kind: "stopped", sentence: "Cancelled.", place: null }));
}

function send(message) {
  if (socket?.readyState === WebSocket.OPEN) socket.send(JSON.stringify(message));
}

function settle(n, finish) {
  asked.delete(n);
  set({ busy: asked.size });
  finish();
}

function receive(event) {
  const message = JSON.parse(event.data);
  if (message.say === "desk") return greeted(message);
  const entry = asked.get(message.n);
  if (!entry) return;
  if (message.say === "part") entry.part?.(message.answer);
  else if (message.say === "progress") entry.progress?.(message.done, message.words);
  else if (message.say === "answer") settle(message.n, () => entry.resolve(message.answer));
  else settle(message.n, () => entry.reject({ kind: message.say, why: message.why ?? null, sentence: message.sentence, place: message.place ?? null, what: message.what ?? null }));
}

/** The server knows this desk: what it has not heard of, or lost when it was started anew, is asked once more. */
function greeted(message) {
  waited = FIRST_WAIT;
  set({ connected: true, lost: null, hello: message.answer });
  if (known) for (const { message: again } of [...asked.values()]) send(again);
  known = true;
}

function lost({ code }) {
  socket = null;
  if (code === TAKEN_OVER) takeFreshDesk();
  set({ connected: false, lost: { wait: waited } });
  clearTimeout(timer);
  timer = setTimeout(connect, waited);
  waited = Math.min(2 * waited, LONGEST_WAIT);
}

/** Connect now, and again after each loss. */
export function connect() {
  clearTimeout(timer);
  if (socket) return;
  const address = new URL("desk", location.href);
  address.protocol = location.protocol === "https:" ? "wss:" : "ws:";
  address.hash = "";
  address.search = location.search;
  address.searchParams.set("desk", desk.id);
  socket = new WebSocket(address);
  socket.onmessage = receive;
  socket.onclose = lost;
}

addEventListener("online", connect);

function takeFreshDesk() {
  desk.id = Array.from(crypto.getRandomValues(new Uint8Array(12)), byte => byte.toString(16).padStart(2, "0")).join("");
  sessionStorage.setItem("routh-desk", desk.id);
}

/** A name of one's own for this page: kept over a reload, never shared by two pages (a copied tab copies sessionStorage too). */
export async function takeDesk() {
  desk.id = sessionStorage.getItem("routh-desk");
  if (!desk.id || !(await held(desk.id))) {
    takeFreshDesk();
    await held(desk.id);
  }
}

/** Hold the lock of this name until the page goes; false where another page holds it. Without locks (plain http from afar) nothing is known. */
function held(id) {
  if (!navigator.locks) return Promise.resolve(true);
  return new Promise(resolve => {
    navigator.locks.request(`routh-desk-${id}`, { ifAvailable: true }, lock => {
      resolve(lock !== null);
      return lock && new Promise(() => {});
    });
  });
}
