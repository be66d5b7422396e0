// The look of a model file: TOML, with our expressions inside its strings.
import { HighlightStyle, StreamLanguage, syntaxHighlighting, tags } from "./vendor/editor.js";

const WORDS = new Set(["name", "description", "unit", "about", "title", "label", "labels", "kind", "latex", "method", "space", "quantity", "colour", "color"]);
const CONSTANTS = new Set(["pi", "t", "e"]);

/** One token of an expression; `functions` are the names a model may call. */
function expression(stream, functions) {
  if (stream.match(/^(\d+\.?\d*|\.\d+)(e[+-]?\d+)?/i)) return "number";
  const word = stream.match(/^[A-Za-z_]\w*/);
  if (word) {
    if (functions.has(word[0]) && /^\s*\(/.test(stream.string.slice(stream.pos))) return "function";
    return CONSTANTS.has(word[0]) ? "constant" : "variable";
  }
  if (stream.match(/^'+/)) return "derivative";
  if (stream.match(/^[-+*/^=<>,]+/)) return "operator";
  stream.next();
  return "expression";
}

/** The end of a string reached, or one more token of it. */
function inString(stream, state, functions) {
  const { quote, plain } = state;
  if (stream.match(quote)) { state.quote = null; return "string"; }
  if (!plain) return expression(stream, functions);
  while (!stream.eol() && !stream.match(quote, false)) if (stream.next() === "\\") stream.next();
  return "words";
}

function token(stream, state, functions) {
  if (state.quote) return inString(stream, state, functions);
  const atStart = stream.sol();
  if (stream.eatSpace()) return null;
  if (stream.match("#")) { stream.skipToEnd(); return "comment"; }
  if (state.depth === 0 && (atStart || /^\s*$/.test(stream.string.slice(0, stream.start))) && stream.match(/^\[\[?[^\]]*\]?\]?/)) {
    state.key = "";
    return "heading";
  }
  const quote = stream.match(/^("""|'''|"|')/);
  if (quote) {
    state.quote = quote[0];
    state.plain = WORDS.has(state.key);
    return "string";
  }
  const key = stream.match(/^[\w.-]+(?=\s*=)/);
  if (key) { state.key = key[0]; return "property"; }
  if (stream.match(/^[+-]?(\d[\d_]*\.?\d*(e[+-]?\d+)?|inf|nan)\b/i)) return "number";
  if (stream.match(/^(true|false)\b/)) return "constant";
  const next = stream.next();
  if ("[{".includes(next)) state.depth++;
  if ("]}".includes(next)) state.depth = Math.max(0, state.depth - 1);
  return "punctuation";
}

/** The language of model files, given the functions of expressions. */
export function modelLanguage(functions) {
  return StreamLanguage.define({
    name: "routh",
    startState: () => ({ quote: null, plain: false, key: "", depth: 0 }),
    copyState: state => ({ ...state }),
    token: (stream, state) => {
      if (stream.sol() && state.quote?.length === 1) state.quote = null;   // a string of one quote ends with its line
      return token(stream, state, functions);
    },
    languageData: { commentTokens: { line: "#" }, closeBrackets: { brackets: ["(", "[", "{", '"'] } },
    tokenTable: { heading: tags.heading, property: tags.propertyName, string: tags.string, words: tags.docString, comment: tags.comment,
      number: tags.number, function: tags.function(tags.variableName), variable: tags.variableName, constant: tags.constant(tags.name),
      derivative: tags.special(tags.operator), operator: tags.operator, expression: tags.special(tags.string), punctuation: tags.punctuation },
  });
}

const style = HighlightStyle.define([
  { tag: tags.heading, color: "var(--violet)", fontWeight: "600" }, { tag: tags.propertyName, color: "var(--ink)" },
  { tag: tags.string, color: "var(--soft)" }, { tag: tags.docString, color: "var(--soft)" }, { tag: tags.comment, color: "var(--soft)", fontStyle: "italic" },
  { tag: tags.number, color: "var(--brown-ink)" }, { tag: tags.function(tags.variableName), color: "var(--blue)" },
  { tag: tags.variableName, color: "var(--green)" }, { tag: tags.constant(tags.name), color: "var(--brown-ink)" },
  { tag: tags.special(tags.operator), color: "var(--red)", fontWeight: "600" }, { tag: tags.operator, color: "var(--soft)" },
  { tag: tags.special(tags.string), color: "var(--soft)" }, { tag: tags.punctuation, color: "var(--soft)" },
]);
export const look = syntaxHighlighting(style);
