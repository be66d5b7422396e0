// The parts of CodeMirror 6 that editor_pane.js uses; what is not named here is not in the bundle.
export {EditorState, Compartment, StateField, StateEffect, RangeSetBuilder, Annotation, Transaction} from "@codemirror/state";
export {EditorView, keymap, lineNumbers, drawSelection, dropCursor, highlightActiveLine, highlightActiveLineGutter, highlightSpecialChars, placeholder,
  Decoration, ViewPlugin, WidgetType, hoverTooltip} from "@codemirror/view";
export {StreamLanguage, HighlightStyle, syntaxHighlighting, bracketMatching, indentOnInput, syntaxTree, ensureSyntaxTree} from "@codemirror/language";
export {defaultKeymap, history, historyKeymap, indentWithTab, undo, redo, undoDepth, redoDepth, toggleComment} from "@codemirror/commands";
export {search, searchKeymap, highlightSelectionMatches, openSearchPanel} from "@codemirror/search";
export {autocompletion, completionKeymap, closeBrackets, closeBracketsKeymap, startCompletion, acceptCompletion, completionStatus, snippetCompletion} from "@codemirror/autocomplete";
export {setDiagnostics, lintKeymap, lintGutter, forEachDiagnostic, nextDiagnostic, openLintPanel} from "@codemirror/lint";
export {tags} from "@lezer/highlight";
