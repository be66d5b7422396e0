// What the keys do, and how a model is written, on one sheet.
import { html } from "./vendor/preact.js";
import { Dialog } from "./dialog.js";

export const KEYS = [
  ["Anywhere", [["F6, Shift+F6", "to the next part and back: text, parameters, tabs"], ["Ctrl+S, Ctrl+Shift+S", "save, save under another name"], ["Ctrl+O", "open a file of the folder"],
    ["Ctrl+Shift+E", "examples"], ["Escape", "closes windows and lists"]]],
  ["Outside text fields", [["1 … 9", "tabs, from Picture to Export"], ["e", "to the text"], ["p", "to the parameters"], ["k", "keep these numbers beside"], ["[ and ]", "text pane narrower, wider"], ["?", "this sheet"]]],
  ["In the text", [["Ctrl+Space", "what could stand here"], ["Enter, Tab", "take it"], ["Ctrl+Z, Ctrl+Y", "undo, redo"], ["Ctrl+F", "search and replace"], ["Ctrl+/", "comment"], ["F8", "to the mistake"]]],
  ["On a slider", [["arrow keys", "a step"], ["Page Up, Page Down", "ten steps"], ["Home, End", "the ends"], ["r, or double-click", "type the ends of the range"]]],
  ["On the tabs", [["arrow keys, Home, End", "another tab"], ["Tab", "into its panel"]]],
];

const WRITTEN = [
  ["phi'", "rate of a coordinate, or of anything built from it"], ["r = \"l*[sin(phi), -cos(phi)]\"", "under [let]: a name for an expression or a vector"],
  ["r[2]", "its second component"], ["norm2(r')", "square of its length"], ["range = [0.2, 3]", "in a parameter: the ends of its slider"],
];

export function Help() {
  return html`<${Dialog} title="Keys and writing" class="help">
    <div class="columns">
      ${KEYS.map(([where, keys]) => html`<table><caption>${where}</caption><tbody>
        ${keys.map(([key, what]) => html`<tr><th scope="row">${key}</th><td>${what}</td></tr>`)}
      </tbody></table>`)}
      <table><caption>In a model</caption><tbody>${WRITTEN.map(([what, means]) => html`<tr><th scope="row"><code>${what}</code></th><td>${means}</td></tr>`)}</tbody></table>
    </div>
  <//>`;
}
