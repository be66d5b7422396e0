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

/** A tab whose module is fetched when it is opened first; a module that is missing or broken says so in its own panel. */
const lazily = (key, title, shortcut) => ({ key, title, shortcut, load: () => import(`./tabs/${key}.js`) });

export const TABS = [
  lazily("picture", "Picture", "1"), lazily("derivation", "Derivation", "2"), lazily("equilibria", "Equilibria", "3"),
  lazily("modes", "Modes", "4"), lazily("response", "Response", "5"), lazily("branches", "Branches", "6"),
  lazily("motion", "Motion", "7"), lazily("chart", "Chart", "8"), lazily("export", "Export", "9"),
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
connect();
