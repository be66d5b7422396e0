// Starts the page: its tabs, its two panes, the connection.
import { html, render } from "./vendor/preact.js";
import { connect, takeDesk } from "./desk.js";
import { Dialog } from "./dialog.js";
import { EditorPane } from "./editor_pane.js";
import { OpenDialog, SaveDialog } from "./files_menu.js";
import { startFollowing } from "./following.js";
import { Gallery } from "./gallery.js";
import { Header, LostBanner, Notice } from "./header.js";
import { Help } from "./help.js";
import { begin, openDropped } from "./opening.js";
import { Results } from "./results.js";
import { startShortcuts } from "./shortcuts.js";
import { Sliders } from "./sliders.js";
import { Splitter } from "./splitter.js";
import { set, useStore, watch } from "./store.js";
import { Verdict } from "./verdict.js";

let plots = null;
/** Plotly is half of all the page has to fetch, and the first tab does without it: it comes with the first tab that plots, or when the page has nothing to do. */
function fetchPlots() {
  plots ??= new Promise((resolve, reject) => {
    const script = Object.assign(document.createElement("script"), { src: "vendor/plotly.js", onload: resolve });
    script.onerror = () => { plots = null; reject(new Error("the server did not send Plotly.")); };
    document.head.append(script);
  });
  return plots;
}

/** A tab whose module is fetched when it is opened first; a module that is missing or broken says so in its own panel. */
const words = (key, title, shortcut) => ({ key, title, shortcut, load: () => import(`./tabs/${key}.js`) });
const plotted = (key, title, shortcut) => ({ key, title, shortcut, load: () => Promise.all([import(`./tabs/${key}.js`), fetchPlots()]).then(([module]) => module) });

export const TABS = [
  words("picture", "Picture", "1"), words("derivation", "Derivation", "2"), plotted("equilibria", "Equilibria", "3"),
  plotted("modes", "Modes", "4"), plotted("response", "Response", "5"), plotted("branches", "Branches", "6"),
  plotted("motion", "Motion", "7"), plotted("chart", "Chart", "8"), words("export", "Export", "9"),
];

const DIALOGS = { gallery: Gallery, open: OpenDialog, save: SaveDialog, help: Help };

/** Where the clipboard is closed to the page the link is shown, to be copied by hand. */
const LinkDialog = ({ link }) => html`<${Dialog} title="Link with the model" class="files"><textarea data-first readonly rows="6" aria-label="link" onFocus=${e => e.target.select()}>${link}</textarea><//>`;

function Dialogs() {
  const dialog = useStore(s => s.dialog);
  if (dialog?.kind === "link") return html`<${LinkDialog} link=${dialog.link} />`;
  return DIALOGS[dialog] ? html`<${DIALOGS[dialog]} key=${dialog} />` : null;
}

function Page() {
  const pane = useStore(s => s.pane);
  return html`<div class=${`studio shows-${pane}`}>
    <${Header} /><${LostBanner} />
    <${Verdict} />
    <main class="model" aria-label="Model"><${EditorPane} /></main>
    <${Sliders} />
    <${Splitter} />
    <${Results} tabs=${TABS} />
  </div><${Dialogs} /><${Notice} />`;
}

/** A file dragged over the page is taken wherever it is let go. */
function startDropping() {
  const carries = event => event.dataTransfer?.types.includes("Files");
  addEventListener("dragover", event => { if (carries(event)) { event.preventDefault(); document.body.classList.add("dropping"); } }, true);
  addEventListener("dragleave", event => { if (!event.relatedTarget) document.body.classList.remove("dropping"); });
  addEventListener("drop", event => {
    document.body.classList.remove("dropping");
    if (!carries(event)) return;
    event.preventDefault();
    event.stopPropagation();
    openDropped(event.dataTransfer.files[0]);
  }, true);
}

set({ theme: document.documentElement.dataset.theme });
const place = document.getElementById("page");
place.replaceChildren();
render(html`<${Page} />`, place);
startFollowing();
startShortcuts(TABS);
startDropping();
watch(s => s.model?.name, name => { document.title = name ? `${name} · Routh Studio` : "Routh Studio"; });
await takeDesk();
const greeted = watch(s => s.hello, () => { greeted(); begin(); });
const shown = watch(s => s.live, () => { shown(); setTimeout(fetchPlots, 1000); });
connect();
