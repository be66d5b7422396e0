// Keys of the whole page; those of one part are with it. help.js lists them all.
import { focusEditor, goTo } from "./editor_pane.js";
import { saveNow } from "./files_menu.js";
import { widen } from "./splitter.js";
import { set, state } from "./store.js";

const typed = target => target.closest?.("input:not([type=range]), textarea, select, [contenteditable=true], .cm-editor, dialog");

const PARTS = [".cm-content", "#sliders input[type=range]", "[role=tab][aria-selected=true]"];

/** The next part of the page that is there, in a ring. */
function nextPart(by) {
  const present = PARTS.map(each => document.querySelector(each)).filter(each => each && each.offsetParent !== null);
  const regions = [".editor", "#sliders", ".results"];
  const here = present.findIndex(each => regions.some(region => each.closest(region)?.contains(document.activeElement)));
  if (present.length) present[(here + by + present.length + (here < 0 && by < 0 ? 1 : 0)) % present.length].focus();
}

function withControl(event) {
  const key = event.key.toLowerCase();
  if (key === "s") event.shiftKey ? set({ dialog: "save" }) : saveNow();
  else if (key === "o" && !event.shiftKey) set({ dialog: "open" });
  else if (key === "e" && event.shiftKey) set({ dialog: "gallery" });
  else return false;
  return true;
}

function plain(event, tabs) {
  const tab = tabs.find(each => each.shortcut === event.key);
  if (tab) {
    set({ tab: tab.key, pane: "results" });
    requestAnimationFrame(() => document.getElementById(`tab-${tab.key}`).focus());
  }
  else if (event.key === "e") { set({ pane: "model" }); requestAnimationFrame(focusEditor); }
  else if (event.key === "p") document.querySelector(PARTS[1])?.focus();
  else if (event.key === "k") document.querySelector(".verdict .keep button, .verdict button.keep")?.click();
  else if (event.key === "[" || event.key === "]") widen(event.key === "[" ? -2 : 2);
  else if (event.key === "?") set({ dialog: "help" });
  else return false;
  return true;
}

/** Listen for the keys of the page. */
export function startShortcuts(tabs) {
  addEventListener("keydown", event => {
    if (event.defaultPrevented || event.altKey || document.querySelector("dialog[open]")) return;
    let done = false;
    if (event.ctrlKey || event.metaKey) done = withControl(event);
    else if (event.key === "F6") { nextPart(event.shiftKey ? -1 : 1); done = true; }
    else if (event.key === "F8" && state.refused?.place) { goTo(state.refused.place); done = true; }
    else if (!typed(event.target)) done = plain(event, tabs);
    if (done) event.preventDefault();
  });
}
