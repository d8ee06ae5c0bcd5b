import { MergeView, unifiedMergeView } from '@codemirror/merge';
import type { Extension } from '@codemirror/state';
import { EditorState } from '@codemirror/state';
import { EditorView } from '@codemirror/view';
import type { CodeLanguage } from './contract.ts';
import { reading, writability } from './extensions.ts';
import { loadLanguage } from './languages.ts';
import { shadowOf } from './shadow.ts';

export interface DiffOptions {
  readonly before: { readonly text: string; readonly label: string };
  readonly after: { readonly text: string; readonly label: string };
  readonly language: CodeLanguage;
  /** `split`: side by side. `unified`: one text with removed lines above added ones. */
  readonly layout: 'split' | 'unified';
}

/** Number of lines kept around a change. Longer unchanged ranges are collapsed. */
const collapseUnchanged = { margin: 3, minSize: 6 };

/** Shows the differences between two texts until `shown` is aborted. Resolves when the language has loaded. */
export async function openDiff(host: HTMLElement, options: DiffOptions, shown: AbortSignal): Promise<void> {
  const language = await loadLanguage(options.language);
  if (shown.aborted) return;
  const view = build(host, options, language);
  shown.addEventListener('abort', () => view.destroy());
}

function build(host: HTMLElement, options: DiffOptions, language: Extension): MergeView | EditorView {
  const root = shadowOf(host);
  const parts = (label: string): Extension => [reading, language, writability(true, label)];
  const { before, after, layout } = options;
  if (layout === 'unified') {
    return new EditorView({
      root,
      parent: root,
      state: EditorState.create({
        doc: after.text,
        extensions: [
          parts(after.label),
          unifiedMergeView({ original: before.text, mergeControls: false, gutter: true, collapseUnchanged }),
        ],
      }),
    });
  }
  return new MergeView({
    a: { doc: before.text, extensions: parts(before.label) },
    b: { doc: after.text, extensions: parts(after.label) },
    root,
    parent: root,
    gutter: true,
    collapseUnchanged,
  });
}
