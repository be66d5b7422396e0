// The left pane: the text of the model, its mistakes under their columns, its energies as formulas.
import { Annotation, acceptCompletion, Compartment, Decoration, EditorState, EditorView, StateEffect, StateField, WidgetType, autocompletion, bracketMatching, closeBrackets,
  closeBracketsKeymap, completionKeymap, defaultKeymap, drawSelection, dropCursor, highlightActiveLine, highlightActiveLineGutter, highlightSelectionMatches,
  history, historyKeymap, keymap, lineNumbers, redo, search, searchKeymap, setDiagnostics, undo } from "./vendor/editor.js";
import { html, useEffect, useRef, useState } from "./vendor/preact.js";
import { completions } from "./completing.js";
import { write } from "./following.js";
import { look, modelLanguage } from "./highlighting.js";
import { Formula } from "./maths.js";
import { Sentence } from "./sentence.js";
import { state, useStore, watch } from "./store.js";

const fromOutside = Annotation.define();
const marked = StateEffect.define();

/** The sentence of a mistake, in a line right below its column. */
class MistakeLine extends WidgetType {
  constructor(sentence, column) { super(); this.sentence = sentence; this.column = column; }
  eq(other) { return other.sentence === this.sentence && other.column === this.column; }
  toDOM() {
    const line = document.createElement("div");
    line.className = "cm-mistake";
    line.style.setProperty("--column", this.column);
    line.setAttribute("aria-hidden", "true");   // said by the status line below the editor
    for (const [k, part] of this.sentence.split("`").entries()) line.append(k % 2 ? Object.assign(document.createElement("code"), { textContent: part }) : part);
    return line;
  }
}

const mistakeLines = StateField.define({
  create: () => Decoration.none,
  update: (lines, change) => {
    for (const effect of change.effects) if (effect.is(marked)) return effect.value ?? Decoration.none;
    return lines.map(change.changes);
  },
  provide: field => EditorView.decorations.from(field),
});

/** Positions of a place of the server ({line, column, length}, from 1) in this document, kept inside it. */
function positions(doc, { line, column, length }) {
  const on = doc.line(Math.min(Math.max(line, 1), doc.lines));
  const from = Math.min(on.from + Math.max((column ?? 1) - 1, 0), on.to);
  return { from, to: Math.min(Math.max(from + (length || 1), from), on.to), on };
}

const SAYING_PAUSE = 350;   // ms a new mistake is only underlined: half a word is wrong while it is typed, and lines should not jump
const SENTENCE_ROOM = 64;   // px below a line, for the sentence about it
let saying = null;

/** Underline a mistake at once; its sentence comes when the hand rests, or in place of the last one. */
function mark(view, refused) {
  clearTimeout(saying);
  if (!refused?.place) {
    view.dispatch(setDiagnostics(view.state, []), { effects: marked.of(null) });
    return;
  }
  const { from, to, on } = positions(view.state.doc, refused.place);
  view.dispatch(setDiagnostics(view.state, [{ from: from === to && from > on.from ? from - 1 : from, to, severity: "error", message: refused.sentence }]));
  const say = () => {
    const { from, on } = positions(view.state.doc, refused.place);
    const widget = Decoration.widget({ widget: new MistakeLine(refused.sentence, from - on.from), block: true, side: 1 });
    const here = view.state.doc.lineAt(view.state.selection.main.head).number === on.number;
    const sight = here && view.hasFocus ? [EditorView.scrollIntoView(on.to, { y: "nearest", yMargin: SENTENCE_ROOM })] : [];
    view.dispatch({ effects: [marked.of(Decoration.set([widget.range(on.to)])), ...sight] });
  };
  if (view.state.field(mistakeLines).size) say();
  else saying = setTimeout(say, SAYING_PAUSE);
}

const grammar = new Compartment();
const grammarOf = hello => [modelLanguage(new Set(hello?.functions.map(each => each.name) ?? [])),
  autocompletion({ override: hello ? [completions(hello)] : [], icons: false, activateOnTyping: true, maxRenderedOptions: 60 })];

const extensions = () => [
  lineNumbers(), highlightActiveLine(), highlightActiveLineGutter(), drawSelection(), dropCursor(), history(), bracketMatching(), closeBrackets(),
  search({ top: true }), highlightSelectionMatches(), EditorView.lineWrapping, look, mistakeLines, grammar.of(grammarOf(state.hello)),
  keymap.of([{ key: "Tab", run: acceptCompletion }, ...closeBracketsKeymap, ...defaultKeymap, ...searchKeymap, ...historyKeymap, ...completionKeymap]),
  EditorView.contentAttributes.of({ "aria-label": "Text of the model", "aria-describedby": "mistake", spellcheck: "false", autocorrect: "off", autocapitalize: "off" }),
  EditorView.updateListener.of(update => {
    if (update.docChanged && !update.transactions.some(each => each.annotation(fromOutside))) write(update.state.doc.toString());
  }),
];

let view = null;
export const focusEditor = () => view?.focus();
export const undoText = () => view && undo(view);
export const redoText = () => view && redo(view);

/** Go to a place of the text, as the server counts it. */
export function goTo(place) {
  const { from } = positions(view.state.doc, place);
  view.dispatch({ selection: { anchor: from }, scrollIntoView: true });
  view.focus();
}

/** Where the pane has become lower, the line one writes in stays in sight. */
function keepInSight() {
  let before = 0;
  const watching = new ResizeObserver(([{ contentRect: { height } }]) => {
    if (height < before && view.hasFocus) view.dispatch({ effects: EditorView.scrollIntoView(view.state.selection.main.head, { y: "nearest", yMargin: 24 }) });
    before = height;
  });
  watching.observe(view.dom);
  return () => watching.disconnect();
}

/** The smallest replacement that makes one text of another, so that the cursor stays where it is. */
export function difference(before, after) {
  let from = 0, end = 0;
  const shorter = Math.min(before.length, after.length);
  while (from < shorter && before[from] === after[from]) from++;
  while (end < shorter - from && before[before.length - 1 - end] === after[after.length - 1 - end]) end++;
  return { from, to: before.length - end, insert: after.slice(from, after.length - end) };
}

function startEditor(parent) {
  view = new EditorView({ parent, state: EditorState.create({ doc: state.text, extensions: extensions() }) });
  const ends = [
    keepInSight(),
    watch(s => s.opened, () => view.setState(EditorState.create({ doc: state.text, extensions: extensions() }))),
    watch(s => s.revision, () => {
      const shown = view.state.doc.toString();
      if (shown !== state.text) view.dispatch({ changes: difference(shown, state.text), annotations: fromOutside.of(true) });
    }),
    watch(s => s.refused, refused => mark(view, refused)),
    watch(s => s.hello, (now, before) => before || view.dispatch({ effects: grammar.reconfigure(grammarOf(now)) })),
  ];
  return () => { clearTimeout(saying); ends.forEach(end => end()); view.destroy(); view = null; };
}

/** One line that is always there: what the text holds, or what is wrong with it, said to screen readers too. */
function Status({ open, toggle }) {
  const refused = useStore(s => s.refused), model = useStore(s => s.model), reading = useStore(s => s.reading);
  const place = refused?.place;
  if (reading) return html`<div class="status"><p id="mistake" role="status">Reading the model…</p><button class="quiet" onClick=${() => reading.cancel()}>Cancel</button></div>`;
  return html`<div class=${`status ${refused ? "wrong" : ""} ${refused && !place ? "whole" : ""}`}>
    <p id="mistake" role="status" title=${refused?.sentence.replaceAll("`", "")}>
      ${refused ? html`${place ? html`<button class="quiet" onClick=${() => goTo(place)}>line ${place.line}</button>` : refused.what && html`<b>${refused.what}</b> `}<${Sentence} words=${refused.sentence} />` : model?.counted}
    </p>
    ${model && html`<button class="quiet" aria-expanded=${open} aria-controls="formulas" onClick=${toggle}>Formulas</button>`}
  </div>`;
}

const SHOWN_ENERGIES = 12;   // a chain of fifty links has as many terms as nobody reads here

/** The energies as formulas. */
function Energies() {
  const model = useStore(s => s.model), refused = useStore(s => s.refused);
  if (!model) return null;
  const shown = model.energies.slice(0, SHOWN_ENERGIES), more = model.energies.length - shown.length;
  return html`<div id="formulas" class=${`formulas ${refused ? "stale" : ""}`} tabindex="0" role="group" aria-label="Energies as formulas">
    ${shown.map(each => html`<div key=${each.what + each.latex}><${Formula} latex=${`\\displaystyle ${each.latex}`} /></div>`)}
    ${more > 0 && html`<p class="note">and ${more} more, in Derivation</p>`}
  </div>`;
}

/** What the units say, and what a file of another format brought along. */
function Warnings() {
  const model = useStore(s => s.model);
  const told = [...(model?.units ?? []), ...(model?.remarks ?? [])];
  return told.length > 0 && html`<ul class="warnings" role="status" aria-label="Units and remarks">${told.map(each => html`<li><${Sentence} words=${each} /></li>`)}</ul>`;
}

const SMALL_SCREEN = 760;   // px, as in look.css: formulas are folded there at first

/** The pane of the model: editor, what is wrong with it, formulas. */
export function EditorPane() {
  const place = useRef(null);
  const [open, setOpen] = useState((localStorage.getItem("routh-formulas") ?? (innerWidth > SMALL_SCREEN ? "open" : "folded")) === "open");
  useEffect(() => startEditor(place.current), []);
  const toggle = () => { setOpen(!open); localStorage.setItem("routh-formulas", open ? "folded" : "open"); };
  return html`<div class="editor" ref=${place}></div><${Status} open=${open} toggle=${toggle} />${open && html`<${Energies} />`}<${Warnings} />`;
}
