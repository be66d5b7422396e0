// Examples to start from, by kind, with a search.
import { html, useEffect, useRef, useState } from "./vendor/preact.js";
import { ask } from "./desk.js";
import { Dialog, close } from "./dialog.js";
import { lastText, notice, openExample, openNew, take } from "./opening.js";
import { Svg } from "./safe_svg.js";
import { state, useStore } from "./store.js";

const drawn = new Map();   // example -> its picture (a promise of an svg or null), kept while the page is open
let queue = Promise.resolve();

/** The picture of an example, one after the other so that nobody waits for a gallery. */
function pictureOf(name) {
  if (!drawn.has(name)) {
    queue = queue.then(async () => {
      if (state.dialog !== "gallery") { drawn.delete(name); return null; }
      const { text } = await ask("example", { name });
      return (await ask("picture", { text, values: {}, sizes: {} })).svg ?? null;
    }).catch(() => { drawn.delete(name); return null; });
    drawn.set(name, queue);
  }
  return drawn.get(name);
}

/** Cut a drawing to what it shows, without its letters, for a small frame. */
function cropped(svg) {
  svg.querySelectorAll("text").forEach(each => each.remove());
  const { x, y, width, height } = svg.getBBox();
  const room = 0.08 * Math.max(width, height) + 8;
  svg.setAttribute("viewBox", `${x - room} ${y - room} ${width + 2 * room} ${height + 2 * room}`);
}

/** A drawing that is made when it comes into sight. */
function Thumbnail({ name }) {
  const place = useRef(null);
  const [svg, show] = useState(null);
  useEffect(() => {
    const seen = new IntersectionObserver(entries => {
      if (!entries.some(each => each.isIntersecting)) return;
      seen.disconnect();
      pictureOf(name).then(show);
    });
    seen.observe(place.current);
    return () => seen.disconnect();
  }, []);
  return html`<span class="thumbnail" ref=${place}>${svg && html`<${Svg} svg=${svg} onReady=${cropped} aria-hidden="true" />`}</span>`;
}

/** Good to begin with, in this order; the others follow by name. */
const FIRST = ["double_pendulum", "bead_on_hoop", "cart_pole", "elastic_pendulum", "ziegler_column", "spinning_top", "hub_beam", "shaken_pendulum", "quarter_car", "watt_governor", "stick_slip"];
const rank = ({ name }) => (FIRST.indexOf(name) + FIRST.length + 1) % (FIRST.length + 1);

const told = words => words.toLowerCase();

/** Examples whose title, words or kind contain every word searched for. */
export function matching(examples, words, kind) {
  const wanted = told(words).split(/\s+/).filter(Boolean);
  return examples.filter(each => (!kind || each.kind === kind) && wanted.every(word => told(`${each.name} ${each.title} ${each.about} ${each.kind}`).includes(word)));
}

async function choose(name) {
  close();   // first, so that no picture is asked for any more: the server does the newest ask of a kind
  try {
    await openExample(name);
  } catch (mistake) {
    if (mistake.why !== "superseded") notice(mistake.sentence, true);   // another one was chosen meanwhile
  }
}

export function Gallery() {
  const hello = useStore(s => s.hello);
  const [words, search] = useState(""), [kind, choosing] = useState(null);
  const examples = [...(hello?.examples ?? [])].sort((a, b) => rank(a) - rank(b));
  const kinds = [...new Set(examples.map(each => each.kind))];
  const found = matching(examples, words, kind), last = lastText();
  const first = event => { if (event.key === "Enter" && found.length) choose(found[0].name); };
  return html`<${Dialog} title="Examples" class="gallery">
    <div class="filters">
      <input type="search" data-first placeholder=${`search ${examples.length} models`} aria-label="search the examples" value=${words} onInput=${e => search(e.target.value)} onKeyDown=${first} />
      <div class="chips" role="group" aria-label="kinds">
        <button aria-pressed=${kind === null} onClick=${() => choosing(null)}>all</button>
        ${kinds.map(each => html`<button aria-pressed=${kind === each} onClick=${() => choosing(kind === each ? null : each)}>${each}</button>`)}
      </div>
    </div>
    <ul class="cards">
      ${!words && !kind && html`<li><button class="card plain" onClick=${openNew}><b>New model</b><span>A pendulum in twenty lines, to write over.</span></button></li>`}
      ${!words && !kind && last && last.text !== state.text && html`<li><button class="card plain" onClick=${() => take(last.text, last.name)}><b>Where you left off</b><span>${titleOf(last)}</span></button></li>`}
      ${found.map(each => html`<li key=${each.name}><button class="card" onClick=${() => choose(each.name)}>
        <${Thumbnail} name=${each.name} /><b>${each.title}</b><span>${each.about}</span></button></li>`)}
    </ul>
    ${found.length === 0 && html`<p class="note">No example has all of these words. Try one word, or another kind.</p>`}
  <//>`;
}

const titleOf = ({ text, name }) => name?.name || text.match(/^name\s*=\s*"([^"]*)"/m)?.[1] || "a model without a name";
