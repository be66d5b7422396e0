// Files of the folder the server was started for: opened, saved, saved under another name.
import { html, useEffect, useState } from "./vendor/preact.js";
import { ask } from "./desk.js";
import { Dialog } from "./dialog.js";
import { notice, openDropped, openFile, save } from "./opening.js";
import { Sentence } from "./sentence.js";
import { set, state, useStore } from "./store.js";

function useFiles() {
  const [files, found] = useState(null);
  useEffect(() => { ask("files").then(answer => found(answer.files), mistake => { found([]); notice(mistake.sentence, true); }); }, []);
  return files;
}

function pickFromDisk() {
  const field = Object.assign(document.createElement("input"), { type: "file", accept: ".toml" });
  field.onchange = () => field.files[0] && openDropped(field.files[0]);
  field.click();
}

export function OpenDialog() {
  const files = useFiles(), folder = useStore(s => s.hello?.folder);
  const [words, search] = useState("");
  const shown = (files ?? []).filter(each => each.toLowerCase().includes(words.toLowerCase()));
  const choose = path => openFile(path).catch(mistake => notice(mistake.sentence, true));
  return html`<${Dialog} title="Open" class="files">
    <p class="note">in ${folder} · or drag a file into the page</p>
    <div class="filters"><input type="search" data-first placeholder="search" aria-label="search the files" value=${words} onInput=${e => search(e.target.value)}
      onKeyDown=${e => e.key === "Enter" && shown.length && choose(shown[0])} /><button onClick=${pickFromDisk}>From elsewhere…</button></div>
    ${files === null ? html`<p class="note">looking…</p>` : html`<ul class="paths">${shown.map(each => html`<li key=${each}><button class="quiet" onClick=${() => choose(each)}>${each}</button></li>`)}</ul>`}
    ${files !== null && shown.length === 0 && html`<p class="note">No model file here. Start from an example, and save it.</p>`}
  <//>`;
}

const suggested = () => state.name.kind === "file" ? state.name.name
  : `${(state.name.name.replace(/\.toml$/, "") || state.model?.name || "model").toLowerCase().replace(/[^a-z0-9]+/g, "_").replace(/^_|_$/g, "") || "model"}.toml`;

export function SaveDialog() {
  const files = useFiles(), folder = useStore(s => s.hello?.folder);
  const [path, type] = useState(suggested()), [refused, say] = useState(null);
  const taken = (files ?? []).includes(path);
  const keep = async event => {
    event.preventDefault();
    try {
      await save(path, taken);
    } catch (mistake) {
      say(mistake.sentence);
    }
  };
  return html`<${Dialog} title="Save as" class="files">
    <p class="note">in ${folder}</p>
    <form class="filters" onSubmit=${keep}>
      <input type="text" data-first aria-label="name of the file" value=${path} onInput=${e => { type(e.target.value); say(null); }} spellcheck=${false} />
      <button class="primary" type="submit">${taken ? "Replace" : "Save"}</button>
    </form>
    ${taken && html`<p class="note">This file is there already and would be replaced.</p>`}
    ${refused && html`<p class="sentence" role="alert"><${Sentence} words=${refused} /></p>`}
  <//>`;
}

/** Save where the model came from, or ask for a name. */
export function saveNow() {
  if (state.name.kind !== "file") return set({ dialog: "save" });
  return save(state.name.name, true).catch(mistake => notice(mistake.sentence, true));
}
