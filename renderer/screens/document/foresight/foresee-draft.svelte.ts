import { onMount, untrack } from 'svelte';
import type { Params } from '#shared/rpc/contract.ts';
import type { Draft } from '../../../stores/documents/draft.svelte.ts';
import { foreseeConsequence, Foreseen } from '../../../stores/documents/foreseen.svelte.ts';
import { onStale } from '../../../stores/live.ts';

/**
 * Keeps the preview of a draft up to date while its editor is shown. Must be called during the initialisation of a component.
 *
 * @param toEdit turns the draft's content into the parameters of a preview request, which name the document
 */
export function foreseeDraft(draft: Draft, toEdit: (config: unknown) => Params<'plan.preview'>): Foreseen {
  return keepForeseen(new Foreseen((config) => foreseeConsequence(toEdit(config))), () =>
    draft.dirty && draft.valid ? draft.toSave : null,
  );
}

/**
 * Keeps a preview up to date while its component is shown. Must be called during the initialisation of this component.
 *
 * @param toConfig returns the content to preview; null if there is none
 * @returns the same preview
 */
export function keepForeseen<T>(foreseen: Foreseen<T>, toConfig: () => unknown): Foreseen<T> {
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
    const config = toConfig();
    untrack(() => foreseen.ask(config));
  });
  return foreseen;
}
