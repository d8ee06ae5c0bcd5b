import type { TemplateId } from '#shared/model/template.ts';
import { onMount, untrack } from 'svelte';
import type { Draft } from '../../../stores/draft.svelte.ts';
import { Foreseen } from '../../../stores/foreseen.svelte.ts';
import { onStale } from '../../../stores/live.ts';

/** Keeps foreseeing what a draft would bring about, while its editor is shown. Call while a component is set up. */
export function foreseeDraft(template: TemplateId, draft: Draft): Foreseen {
  const foreseen = new Foreseen(template);
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
    const config = draft.dirty && draft.valid ? draft.reading.document : null;
    untrack(() => foreseen.ask(config));
  });
  return foreseen;
}
