// The bar on top: what is open, where it comes from and goes to, and how the page looks.
import { html, useState } from "./vendor/preact.js";
import { connect } from "./desk.js";
import { redoText, undoText } from "./editor_pane.js";
import { saveNow } from "./files_menu.js";
import { linkOf } from "./link.js";
import { notice } from "./opening.js";
import { set, state, useStore } from "./store.js";

const LONG_LINK = 8000;   // characters some programs cut addresses at

async function copyLink() {
  const link = await linkOf(state.text);
  try {
    await navigator.clipboard.writeText(link);
    notice(link.length > LONG_LINK ? `Link copied, with the whole model in it. It has ${link.length} characters, and some programs cut addresses so long: then send the file.` : "Link copied. It contains the whole model.");
  } catch {
    set({ dialog: { kind: "link", link } });
  }
}

const THEMES = { auto: ["light", "Follows the system"], light: ["dark", "Light"], dark: ["auto", "Dark"] };
const SIGNS = { auto: "◐", light: "○", dark: "●" };

function Theme() {
  const theme = useStore(s => s.theme);
  const [next, words] = THEMES[theme];
  return html`<button class="quiet sign" onClick=${() => setTheme(next)} title=${`${words}; change to ${next}`} aria-label=${`theme: ${theme}; change to ${next}`}>${SIGNS[theme]}</button>`;
}

export function setTheme(theme) {
  localStorage.setItem("routh-theme", theme);
  document.documentElement.dataset.theme = theme;
  set({ theme });
}

function Connection() {
  const connected = useStore(s => s.connected), busy = useStore(s => s.busy > 0);
  const words = !connected ? "not connected" : busy ? "computing" : "connected";
  return html`<span class=${`connection ${connected ? "" : "lost"} ${busy ? "busy" : ""}`} role="img" aria-label=${words} title=${words}></span>`;
}

function Title() {
  const name = useStore(s => s.name), title = useStore(s => s.model?.name), unsaved = useStore(s => s.saved !== null && s.saved !== s.text);
  const from = { file: name.name, example: "example", link: "from a link", new: name.name }[name.kind];
  return html`<h1><span class="title">${title || name.name || "model"}</span> <span class="from">${from}${unsaved && html`<b title="not saved yet" aria-label="not saved yet"> •</b>`}</span></h1>`;
}

/** A small screen shows one pane; this chooses which. */
function Panes() {
  const pane = useStore(s => s.pane), wrong = useStore(s => s.refused !== null);
  return html`<div class="panes" role="group" aria-label="pane">
    <button aria-pressed=${pane === "model"} onClick=${() => set({ pane: "model" })}>Model${wrong && html` <i class="dot" aria-label="with a mistake"></i>`}</button>
    <button aria-pressed=${pane === "results"} onClick=${() => set({ pane: "results" })}>Results</button>
  </div>`;
}

export function Header() {
  const [open, fold] = useState(false);
  const then = action => () => { fold(false); action(); };
  return html`<header class="top">
    <span class="mark">Routh</span>
    <${Title} />
    <button class="quiet menu" aria-expanded=${open} aria-controls="menu" onClick=${() => fold(!open)}>Menu</button>
    <nav id="menu" class=${open ? "open" : ""} aria-label="file">
      <button class="quiet" onClick=${then(() => set({ dialog: "gallery" }))}>Examples</button>
      <button class="quiet" onClick=${then(() => set({ dialog: "open" }))}>Open</button>
      <button class="quiet" onClick=${then(saveNow)}>Save</button>
      <button class="quiet" onClick=${then(() => set({ dialog: "save" }))}>Save as</button>
      <button class="quiet" onClick=${then(copyLink)} title="copies an address that contains the whole model">Link</button>
      <span class="gap"></span>
      <button class="quiet sign" onClick=${undoText} title="undo (Ctrl+Z)" aria-label="undo">↶</button>
      <button class="quiet sign" onClick=${redoText} title="redo (Ctrl+Y)" aria-label="redo">↷</button>
    </nav>
    <span class="right"><${Connection} /><${Theme} /><button class="quiet sign" onClick=${() => set({ dialog: "help" })} aria-label="help" title="keys (?)">?</button></span>
    <${Panes} />
  </header>`;
}

/** Said over the page while the server cannot be reached. */
export function LostBanner() {
  const lost = useStore(s => s.lost), known = useStore(s => s.hello !== null);
  if (!lost) return null;
  return html`<div class="banner" role="alert">
    ${known ? "The connection to the server is lost. What you typed is kept, and the page tries again by itself." : "The server does not answer. Start it with `routh studio`; the page tries again by itself."}
    <button onClick=${connect}>Try now</button>
  </div>`;
}

export function Notice() {
  const told = useStore(s => s.notice);
  return html`<div class=${`notice ${told?.wrong ? "wrong" : ""}`} role="status">${told && html`<p>${told.sentence}<button class="quiet" onClick=${() => set({ notice: null })} aria-label="close">✕</button></p>`}</div>`;
}
