import { HighlightStyle, syntaxHighlighting } from '@codemirror/language';
import type { Extension } from '@codemirror/state';
import { EditorView } from '@codemirror/view';
import { tags } from '@lezer/highlight';

/** Returns a translucent background of a hue that keeps the contrast of the text on it in both themes. */
const wash = (hue: string, percent: number): string =>
  `color-mix(in srgb, var(${hue}) ${percent}%, transparent)`;

const text = EditorView.theme({
  '&': { height: '100%', color: 'var(--text)', backgroundColor: 'var(--surface-raised)' },
  '&.cm-focused': { outline: 'none' },
  '.cm-scroller': {
    fontFamily: 'var(--font-mono)',
    fontSize: 'var(--text-13)',
    lineHeight: '20px',
    scrollbarWidth: 'thin',
  },
  '.cm-content': { padding: 'var(--space-2) 0', caretColor: 'var(--accent-text)' },
  '.cm-cursor, .cm-dropCursor': { borderLeft: '2px solid var(--accent-text)' },
  '.cm-activeLine': { backgroundColor: wash('--text', 5) },
  '.cm-gutters': {
    color: 'var(--text-faint)',
    backgroundColor: 'var(--surface-sunken)',
    borderRight: '1px solid var(--border)',
  },
  '.cm-activeLineGutter': { color: 'var(--text)', backgroundColor: wash('--text', 7) },
  '.cm-lineNumbers .cm-gutterElement': { padding: '0 var(--space-2)' },
  '.cm-foldPlaceholder': {
    padding: '0 var(--space-1)',
    border: '1px solid var(--border)',
    backgroundColor: 'var(--surface-active)',
    color: 'var(--text-muted)',
  },
  '&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground': {
    backgroundColor: `${wash('--accent', 24)} !important`,
  },
  '.cm-selectionMatch': { backgroundColor: wash('--accent', 14) },
  '&.cm-focused .cm-matchingBracket': {
    backgroundColor: wash('--accent', 20),
    outline: '1px solid var(--accent)',
  },
  '&.cm-focused .cm-nonmatchingBracket': { backgroundColor: 'var(--bad-soft)' },
  '.cm-searchMatch': { backgroundColor: wash('--warn', 22), outline: `1px solid ${wash('--warn', 55)}` },
  '.cm-searchMatch-selected': { backgroundColor: wash('--accent', 26), outline: '1px solid var(--accent)' },
});

const panels = EditorView.theme({
  '.cm-panels': {
    color: 'var(--text)',
    backgroundColor: 'var(--surface-sunken)',
    fontFamily: 'var(--font-sans)',
    fontSize: 'var(--text-13)',
  },
  '.cm-panels-top': { borderBottom: '1px solid var(--border)' },
  '.cm-panels-bottom': { borderTop: '1px solid var(--border)' },
  '.cm-panel.cm-search': {
    display: 'flex',
    flexWrap: 'wrap',
    alignItems: 'center',
    gap: 'var(--space-1) var(--space-2)',
    padding: 'var(--space-2) var(--space-8) var(--space-2) var(--space-3)',
  },
  '.cm-panel.cm-search br': { flexBasis: '100%', content: '""', display: 'block' },
  '.cm-panel.cm-search label': {
    display: 'inline-flex',
    alignItems: 'center',
    gap: 'var(--space-1)',
    margin: '0',
    fontSize: 'var(--text-12)',
  },
  '.cm-panel.cm-search input[type=checkbox]': { accentColor: 'var(--accent)', margin: '0' },
  '.cm-textfield': {
    height: 'var(--control-small)',
    margin: '0',
    padding: '0 var(--space-2)',
    border: '1px solid var(--border-control)',
    borderRadius: 'var(--radius-s)',
    color: 'var(--text)',
    backgroundColor: 'var(--surface-raised)',
    font: 'inherit',
  },
  '.cm-button': {
    height: 'var(--control-small)',
    margin: '0',
    padding: '0 var(--space-2)',
    border: '1px solid var(--border-control)',
    borderRadius: 'var(--radius-s)',
    color: 'var(--text)',
    background: 'var(--surface-raised)',
    font: 'inherit',
    cursor: 'pointer',
  },
  '.cm-button:hover': { background: 'var(--surface-hover)' },
  '.cm-button:active': { background: 'var(--surface-active)' },
  '.cm-textfield:focus-visible, .cm-button:focus-visible, button:focus-visible, input:focus-visible': {
    outline: '2px solid var(--focus)',
    outlineOffset: '1px',
  },
  '.cm-panel button[name=close]': {
    top: 'var(--space-2)',
    right: 'var(--space-2)',
    width: '24px',
    height: '24px',
    borderRadius: 'var(--radius-s)',
    color: 'var(--text-muted)',
    font: 'inherit',
    cursor: 'pointer',
  },
});

const tooltips = EditorView.theme({
  '.cm-tooltip': {
    maxWidth: '440px',
    border: '1px solid var(--border)',
    borderRadius: 'var(--radius-s)',
    color: 'var(--text)',
    backgroundColor: 'var(--surface-raised)',
    boxShadow: 'var(--elevation-2)',
    fontFamily: 'var(--font-sans)',
    fontSize: 'var(--text-13)',
    lineHeight: '18px',
    zIndex: 'var(--layer-menu)',
  },
  '.cm-explain': { padding: 'var(--space-2) var(--space-3)' },
  '.cm-explain strong': { fontWeight: 'var(--weight-medium)' },
  '.cm-explain p': { margin: '2px 0 0', color: 'var(--text-muted)' },
  '.cm-tooltip.cm-tooltip-autocomplete > ul': { fontFamily: 'var(--font-mono)', maxHeight: '220px' },
  '.cm-tooltip.cm-tooltip-autocomplete > ul > li': { padding: '3px var(--space-2)', lineHeight: '20px' },
  '.cm-tooltip.cm-tooltip-autocomplete > ul > li[aria-selected]': {
    color: 'var(--text)',
    background: 'var(--surface-active)',
  },
  '.cm-completionDetail': { color: 'var(--text-faint)', fontStyle: 'normal' },
  '.cm-completionMatchedText': { color: 'var(--accent-text)', textDecoration: 'none', fontWeight: '600' },
  '.cm-completionInfo': { padding: 'var(--space-2) var(--space-3)', color: 'var(--text-muted)' },
  '.cm-diagnostic': { padding: 'var(--space-1) var(--space-2)', whiteSpace: 'pre-wrap' },
  '.cm-diagnostic-error': { borderLeft: '3px solid var(--bad)' },
  '.cm-diagnostic-warning': { borderLeft: '3px solid var(--warn)' },
  '.cm-diagnostic-info': { borderLeft: '3px solid var(--busy)' },
  '.cm-panel.cm-panel-lint ul [aria-selected]': { background: 'var(--surface-active)', color: 'var(--text)' },
});

/** Marks changed words by an underline, because a stronger background would reduce their contrast. */
const changed = (hue: string): Readonly<Record<string, string>> => ({
  background: wash(hue, 9),
  boxShadow: `inset 0 -2px ${wash(hue, 60)}`,
});

/** Colours of side-by-side and inline differences. */
const differences = EditorView.theme({
  '&.cm-merge-a .cm-changedLine, .cm-deletedChunk': { backgroundColor: wash('--bad', 7) },
  '&.cm-merge-b .cm-changedLine, .cm-inlineChangedLine': { backgroundColor: wash('--ok', 7) },
  '&.cm-merge-a .cm-changedText, .cm-deletedChunk .cm-deletedText': changed('--bad'),
  '&.cm-merge-b .cm-changedText': changed('--ok'),
  '&.cm-merge-a .cm-changedLineGutter, .cm-deletedLineGutter': { background: 'var(--bad)' },
  '&.cm-merge-b .cm-changedLineGutter': { background: 'var(--ok)' },
  '.cm-collapsedLines': {
    padding: '2px var(--space-3)',
    color: 'var(--text-muted)',
    background: 'var(--surface-active)',
    fontFamily: 'var(--font-sans)',
    fontSize: 'var(--text-12)',
  },
  // None of our fonts contains the default character.
  '.cm-collapsedLines:before, .cm-collapsedLines:after': { content: '"…"', color: 'var(--text-faint)' },
});

const highlighting = HighlightStyle.define([
  { tag: [tags.propertyName, tags.attributeName, tags.definition(tags.propertyName)], color: 'var(--busy)' },
  // Keys and values of .properties files.
  { tag: tags.definition(tags.variableName), color: 'var(--busy)' },
  { tag: [tags.string, tags.attributeValue, tags.special(tags.string), tags.quote], color: 'var(--ok)' },
  { tag: [tags.number, tags.bool, tags.null, tags.atom], color: 'var(--warn)' },
  { tag: [tags.keyword, tags.tagName, tags.heading, tags.typeName], color: 'var(--accent-text)' },
  { tag: [tags.comment, tags.meta], color: 'var(--text-muted)', fontStyle: 'italic' },
  { tag: [tags.punctuation, tags.separator, tags.bracket, tags.operator], color: 'var(--text-muted)' },
  { tag: tags.invalid, color: 'var(--bad)' },
]);

/** Theme of all editors. It uses the design tokens, so it follows the light and dark themes automatically. */
export const codeTheme: Extension = [text, panels, tooltips, differences, syntaxHighlighting(highlighting)];
