// What a tab asks for and how it shows that it waits: the old result stays, greyed, until the new one is there.
import { html, useEffect, useRef, useState } from "./vendor/preact.js";
import { ask } from "./desk.js";
import { Sentence } from "./sentence.js";
import { useStore } from "./store.js";

const SHORT = 400;          // ms after which an ask that nobody needs any more is cancelled; shorter ones end by themselves sooner

/** What every ask about the model depends on, after the hand has let go. */
export function useSubject() {
  const values = useStore(s => s.settled), sizes = useStore(s => s.sizes), model = useStore(s => s.model);
  // a text that does not read leaves the model of before: its results stay on the screen
  return { text: model?.text, values, sizes, model, ready: model !== null };
}

const NOTHING = { answer: null, of: null, sentence: null, stopped: false, progress: null, asking: false };
const OVERTAKEN = new Set(["superseded", "text"]);

/** The answer to an ask, made again whenever what it is about changes, while the tab is looked at.
 *
 * `about` null: nothing to ask now. `follow`: one ask at a time, the newest waits, for what follows a hand. Returns {answer, stale, sentence, asking, progress, cancel, again, put}; parts count as answers.
 */
export function useAnswer(kind, about, { active, wait = 0, follow = false } = {}) {
  const [seen, see] = useState(NOTHING), mine = useRef({ key: null, promise: null });
  const key = about === null ? null : JSON.stringify(about);   // equal contents ask for nothing new
  const go = () => {
    leave(mine.current.promise);
    const current = change => { if (mine.current.promise === promise) see(old => ({ ...old, ...change })); };
    const promise = ask(kind, about, {
      part: answer => current({ answer, of: key, sentence: null }),
      progress: (done, words) => current({ progress: { done, words } }),
    });
    mine.current = { key, promise };
    see(old => ({ ...old, asking: true, progress: null, sentence: null }));
    const end = change => { promise.ended = true; current({ ...change, asking: false, progress: null }); if (mine.current.promise === promise) mine.current.promise = null; };
    promise.then(answer => end({ answer, of: key, sentence: null }), reason => {
      const overtaken = OVERTAKEN.has(reason.why) || reason.kind === "superseded";
      if (overtaken && mine.current.promise === promise) mine.current.key = null;   // nobody has answered it: it may be asked once more
      end(overtaken ? {} : { sentence: reason.sentence, stopped: reason.kind === "stopped" });
    });
  };
  useEffect(() => {
    if (!active || key === null || mine.current.key === key || (follow && mine.current.promise)) return undefined;
    const timer = setTimeout(go, wait);
    return () => clearTimeout(timer);
  }, [active, key, seen.asking]);
  useEffect(() => () => leave(mine.current.promise), []);
  return {
    ...seen, stale: seen.answer !== null && key !== null && seen.of !== key, again: go,
    cancel: () => mine.current.promise?.cancel(),
    put: answer => see(old => ({ ...old, answer })),
  };
}

/** Whether an answer is that of what is asked for now: what stands beside something else must be of the same question. */
export const isCurrent = asked => asked.answer !== null && !asked.stale && !asked.sentence;

function leave(promise) {
  if (promise) setTimeout(() => { if (!promise.ended) promise.cancel(); }, SHORT);
}

/** One thing asked at a press of a button: {asking, progress, sentence, go, cancel}. */
export function useDeed() {
  const [seen, see] = useState({ asking: false, progress: null, sentence: null }), mine = useRef(null);
  const go = async (kind, about, done) => {
    const promise = ask(kind, about, { progress: (share, words) => see(old => ({ ...old, progress: { done: share, words } })) });
    mine.current = promise;
    see({ asking: true, progress: null, sentence: null });
    try {
      const answer = await promise;
      if (mine.current !== promise) return;
      see({ asking: false, progress: null, sentence: null });
      done(answer);
    } catch (reason) {
      if (mine.current === promise) see({ asking: false, progress: null, sentence: OVERTAKEN.has(reason.why) ? null : reason.sentence });
    }
  };
  return { ...seen, go, cancel: () => mine.current?.cancel(), clear: () => see(old => ({ ...old, sentence: null })) };
}

/** A line that says what goes on, with a button that ends it; it appears only where one has to wait. */
export function Waiting({ asking, progress, cancel, words }) {
  const [late, be] = useState(false);
  useEffect(() => {
    if (!asking) { be(false); return undefined; }
    const timer = setTimeout(() => be(true), 350);
    return () => clearTimeout(timer);
  }, [asking]);
  if (!asking || !late) return null;
  const share = progress?.done;
  return html`<div class="waiting" role="status">
    <progress max="1" value=${share ?? undefined} aria-label=${words}></progress>
    <span>${progress?.words || words}${share ? ` ${Math.round(100 * share)} %` : ""}</span>
    <button type="button" onClick=${cancel}>Cancel</button>
  </div>`;
}

/** A sentence that says why there is nothing, or nothing new. */
export function Refusal({ sentence, again }) {
  if (!sentence) return null;
  return html`<div class="refusal" role="note"><p><${Sentence} words=${sentence} /></p>${again && html`<button type="button" onClick=${again}>Ask again</button>`}</div>`;
}

/** A result with all that can be said about it; `words` says what is being done. */
export function Result({ asked, words, children }) {
  const empty = asked.answer === null, failed = asked.sentence && !asked.asking;
  return html`<div class="result">
    <${Waiting} ...${asked} words=${words} />
    ${failed && html`<${Refusal} sentence=${asked.sentence} again=${asked.stopped ? asked.again : null} />`}
    ${empty && !failed && html`<p class="note">${words} …</p>`}
    ${!empty && html`<div class=${asked.stale || failed ? "stale" : ""} aria-busy=${asked.asking}>${children}</div>`}
  </div>`;
}
