import { setDiagnostics, type Diagnostic } from '@codemirror/lint';
import { Annotation, Compartment, EditorState, Prec, type Extension, type Text } from '@codemirror/state';
import { EditorView, keymap } from '@codemirror/view';
import { isCtrl } from '../keyboard/shortcut-key.ts';
import { assistedBy } from './assist.ts';
import type { CodeAssist, CodeDiagnostic, CodeLanguage, CodePosition } from './contract.ts';
import { reading, writability, writing } from './extensions.ts';
import { loadLanguage } from './languages.ts';
import { belongsToText, shadowOf } from './shadow.ts';

export interface EditorOptions {
  readonly text: string;
  readonly language: CodeLanguage;
  /** Name for screen readers. */
  readonly label: string;
  readonly readonly: boolean;
  readonly assist: CodeAssist | undefined;
  /** Called when the person changes the text, but not for {@link OpenEditor.setText}. */
  readonly onchange: (text: string) => void;
  /** Called on Ctrl+S or Cmd+S, once per press. @returns false if the window should handle the key instead */
  readonly onsave: () => boolean;
  readonly onmove: (position: CodePosition) => void;
}

/** An open editor. */
export interface OpenEditor {
  /** Replaces the text without calling `onchange`. Keeps the cursor and the undo history. */
  readonly setText: (text: string) => void;
  readonly setReadonly: (readonly: boolean) => void;
  readonly setDiagnostics: (diagnostics: readonly CodeDiagnostic[]) => void;
  /** Moves the cursor to a line (from 1) and scrolls to it. */
  readonly showLine: (line: number) => void;
  readonly focus: () => void;
  readonly close: () => void;
}

/** Time after Escape during which Tab leaves the editor (ms). */
const LEAVING_MS = 2000;

/** Marks changes by {@link OpenEditor.setText}, which are not reported to `onchange`. */
const fromOutside = Annotation.define<boolean>();

/** Ignores the repeated key presses while Ctrl+S is held down. */
const ignoreHeldSave = Prec.highest(
  EditorView.domEventHandlers({ keydown: (event) => event.repeat && isCtrl(event, 's') }),
);

/** Opens an editor in an element. Resolves when the language has loaded. */
export async function openEditor(host: HTMLElement, options: EditorOptions): Promise<OpenEditor> {
  const language = await loadLanguage(options.language);
  const root = shadowOf(host);
  const writable = new Compartment();
  const view = new EditorView({
    root,
    parent: root,
    state: EditorState.create({
      doc: options.text,
      extensions: [
        writable.of(writability(options.readonly, options.label)),
        ignoreHeldSave,
        keymap.of([{ key: 'Mod-s', run: options.onsave, stopPropagation: true }]),
        options.assist === undefined ? [] : assistedBy(options.assist),
        reading,
        writing,
        language,
        tellsChanges(options),
      ],
    }),
  });
  const onkeydown = (event: Event): void => {
    if (!(event instanceof KeyboardEvent)) return;
    // CodeMirror itself switches to this mode only if Escape has closed something.
    if (event.key === 'Escape') view.setTabFocusMode(LEAVING_MS);
    if (belongsToText(event)) event.stopPropagation();
  };
  root.addEventListener('keydown', onkeydown);
  return {
    setText: (text) => replaceText(view, text),
    setReadonly: (readonly) =>
      view.dispatch({ effects: writable.reconfigure(writability(readonly, options.label)) }),
    setDiagnostics: (diagnostics) =>
      view.dispatch(
        setDiagnostics(
          view.state,
          diagnostics.map((one) => toDiagnostic(view.state.doc, one)),
        ),
      ),
    showLine: (line) => showLine(view, line),
    focus: () => view.focus(),
    close: () => {
      root.removeEventListener('keydown', onkeydown);
      view.destroy();
    },
  };
}

function tellsChanges({ onchange, onmove }: EditorOptions): Extension {
  return EditorView.updateListener.of(({ docChanged, selectionSet, state, transactions }) => {
    if (docChanged || selectionSet) {
      const { head } = state.selection.main;
      const line = state.doc.lineAt(head);
      onmove({ line: line.number, column: head - line.from + 1 });
    }
    const outside = transactions.some((transaction) => transaction.annotation(fromOutside) === true);
    if (docChanged && !outside) onchange(state.doc.toString());
  });
}

/** Replaces only the part of the text that differs, so that the cursor stays in place. */
function replaceText(view: EditorView, text: string): void {
  const now = view.state.doc.toString();
  // The editor changes every line end to `\n`. Other line ends are therefore no difference.
  const next = view.state.toText(text).toString();
  if (now === next) return;
  let start = 0;
  const shorter = Math.min(now.length, next.length);
  while (start < shorter && now[start] === next[start]) start += 1;
  let end = 0;
  while (end < shorter - start && now[now.length - 1 - end] === next[next.length - 1 - end]) end += 1;
  view.dispatch({
    changes: { from: start, to: now.length - end, insert: next.slice(start, next.length - end) },
    annotations: fromOutside.of(true),
  });
}

function toDiagnostic(doc: Text, { line, severity, message }: CodeDiagnostic): Diagnostic {
  const { from, to, text } = doc.line(Math.min(doc.lines, Math.max(1, line)));
  return { from: from + (text.length - text.trimStart().length), to, severity, message };
}

function showLine(view: EditorView, line: number): void {
  const { from } = view.state.doc.line(Math.min(view.state.doc.lines, Math.max(1, line)));
  view.dispatch({
    selection: { anchor: from },
    effects: EditorView.scrollIntoView(from, { y: 'center' }),
  });
}
