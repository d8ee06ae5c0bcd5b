import {
  autocompletion,
  closeBrackets,
  closeBracketsKeymap,
  completionKeymap,
} from '@codemirror/autocomplete';
import { defaultKeymap, history, historyKeymap, indentWithTab } from '@codemirror/commands';
import { bracketMatching, foldGutter, foldKeymap, indentOnInput, indentUnit } from '@codemirror/language';
import { lintGutter, lintKeymap } from '@codemirror/lint';
import { highlightSelectionMatches, search, searchKeymap } from '@codemirror/search';
import { EditorState, type Extension } from '@codemirror/state';
import {
  drawSelection,
  dropCursor,
  EditorView,
  highlightActiveLine,
  highlightActiveLineGutter,
  highlightSpecialChars,
  keymap,
  lineNumbers,
} from '@codemirror/view';
import { codeTheme } from './theme.ts';

/** Texts of the search panel. */
const phrases = EditorState.phrases.of({
  next: 'Next',
  previous: 'Previous',
  all: 'All',
  'match case': 'Match case',
  regexp: 'Regular expression',
  'by word': 'Whole words',
  replace: 'Replace',
  'replace all': 'Replace all',
  close: 'Close search',
});

/** Extensions for reading: theme, line numbers, search, selection. */
export const reading: Extension = [
  codeTheme,
  phrases,
  lineNumbers(),
  highlightSpecialChars(),
  drawSelection(),
  bracketMatching(),
  highlightSelectionMatches(),
  search({ top: true }),
  EditorState.allowMultipleSelections.of(true),
  keymap.of([...searchKeymap, ...foldKeymap, ...lintKeymap, ...defaultKeymap]),
];

/** Extensions for editing: undo, completion, indentation, the active line, problem markers. */
export const writing: Extension = [
  history(),
  foldGutter(),
  lintGutter(),
  dropCursor(),
  indentOnInput(),
  indentUnit.of('  '),
  closeBrackets(),
  autocompletion({ icons: false }),
  highlightActiveLine(),
  highlightActiveLineGutter(),
  keymap.of([...closeBracketsKeymap, ...historyKeymap, ...completionKeymap]),
];

/** Description of the editor for screen readers. A visible hint under the editor says the same. */
const LEAVING = 'Tab indents. To leave with Tab, press Escape first.';

/** Returns the extensions that depend on whether the text is editable. Tab indents only in editable text. */
export function writability(readonly: boolean, label: string): Extension {
  if (!readonly) {
    return [
      keymap.of([indentWithTab]),
      // The tab index tells accessibility checks that a long text can be scrolled with the keyboard.
      EditorView.contentAttributes.of({ 'aria-label': label, 'aria-description': LEAVING, tabindex: '0' }),
    ];
  }
  return [
    EditorState.readOnly.of(true),
    EditorView.contentAttributes.of({ 'aria-label': label, 'aria-readonly': 'true', tabindex: '0' }),
  ];
}
