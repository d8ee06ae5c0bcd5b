import { services } from '../../../stores/services.svelte.ts';
import { templateOf } from '../paths.ts';

/**
 * Returns the template of the first entry (null if the entry belongs to no template), and the number of the
 * template's started services.
 */
export function concernedBy(entries: readonly { readonly path: string }[]): {
  readonly template: string | null;
  readonly running: number;
} {
  const template = templateOf(entries[0]?.path ?? '/');
  const own = services.list.filter(
    (service) => service.template === template && service.state !== 'REQUESTED',
  );
  return { template, running: own.length };
}
