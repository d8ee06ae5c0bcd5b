import { onMount, untrack } from 'svelte';
import type { Params } from '#shared/rpc/contract.ts';
import type { Draft } from '../../../stores/documents/draft.svelte.ts';
import { previewConsequence, DraftPreview } from '../../../stores/documents/draft-preview.svelte.ts';
import { onStale } from '../../../stores/live.ts';

/**
 * Keeps the preview of a draft up to date while its editor is shown. Must be called during the initialisation of a
 * component.
 *
 * @param toEdit converts the draft's content to the parameters of a preview request, including the id of the document
 */
export function previewDraft(
  draft: Draft,
  toEdit: (config: unknown) => Params<'plan.preview'>,
): DraftPreview {
  return keepPreview(new DraftPreview((config) => previewConsequence(toEdit(config))), () =>
    draft.dirty && draft.valid ? draft.toSave : null,
  );
}

/**
 * Keeps a preview up to date while its component is shown. Must be called during the initialisation of this
 * component.
 *
 * @param toConfig returns the content to preview; null if there is none
 * @returns the given preview
 */
export function keepPreview<T>(draftPreview: DraftPreview<T>, toConfig: () => unknown): DraftPreview<T> {
  onMount(() => {
    const stops = [
      draftPreview.connect(),
      onStale((topics) => {
        if (topics.some((topic) => topic !== 'activity' && topic !== 'keys')) draftPreview.stale();
      }),
    ];
    return () => {
      for (const stop of stops) stop();
    };
  });
  $effect(() => {
    const config = toConfig();
    untrack(() => draftPreview.ask(config));
  });
  return draftPreview;
}
