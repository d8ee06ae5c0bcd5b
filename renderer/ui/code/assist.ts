import { autocompletion, type CompletionSource } from '@codemirror/autocomplete';
import type { Extension } from '@codemirror/state';
import { hoverTooltip } from '@codemirror/view';
import type { CodeAssist } from './contract.ts';

/** Adds completions and explanations from an assistant that knows the document. */
export function assistedBy(assist: CodeAssist): Extension {
  return [autocompletion({ override: [completionOf(assist)], icons: false }), explanationOf(assist)];
}

function completionOf(assist: CodeAssist): CompletionSource {
  return ({ state, pos, explicit }) => {
    const found = assist.complete(state.doc.toString(), pos);
    if (found === null || (!explicit && found.from === pos)) return null;
    return {
      from: found.from,
      to: found.to,
      options: found.options.map(({ label, insert, detail, info, kind }) => ({
        label,
        apply: insert,
        type: kind === 'key' ? 'property' : 'constant',
        ...(detail !== undefined && { detail }),
        ...(info !== undefined && { info }),
      })),
    };
  };
}

function explanationOf(assist: CodeAssist): Extension {
  return hoverTooltip(({ state }, pos) => {
    const found = assist.explain(state.doc.toString(), pos);
    if (found === null) return null;
    return {
      pos: found.from,
      end: found.to,
      above: true,
      create: () => ({ dom: explanation(found.title, found.lines) }),
    };
  });
}

function explanation(title: string, lines: readonly string[]): HTMLElement {
  const box = document.createElement('div');
  box.className = 'cm-explain';
  const head = document.createElement('strong');
  head.textContent = title;
  box.append(head);
  for (const line of lines) {
    const paragraph = document.createElement('p');
    paragraph.textContent = line;
    box.append(paragraph);
  }
  return box;
}
