import type { Params } from '#shared/rpc/contract.ts';
import { onMount, untrack } from 'svelte';
import type { Draft } from '../../../stores/documents/draft.svelte.ts';
import { Foreseen } from '../../../stores/documents/foreseen.svelte.ts';
import { onStale } from '../../../stores/live.ts';

/**
 * Keeps the preview of a draft up to date while its editor is shown. Must be called during the initialisation of a component.
 *
 * @param toEdit turns the draft's content into the parameters of a preview request, which name the document
 */
export function foreseeDraft(draft: Draft, toEdit: (config: unknown) => Params<'plan.preview'>): Foreseen {
  const foreseen = new Foreseen(toEdit);
  onMount(() => {
    const stops = [
      foreseen.connect(),
      onStale((topics) => {
        if (topics.some((topic) => topic !== 'activity' && topic !== 'keys')) foreseen.stale();
      }),
    ];
    return () => {
      for (const stop of stops) stop();
    };
  });
  $effect(() => {
    const config = draft.dirty && draft.valid ? draft.toSave : null;
    untrack(() => foreseen.ask(config));
  });
  return foreseen;
}
