import { services } from '../../../stores/services.svelte.ts';
import { templateOf } from '../paths.ts';

/**
 * Returns the template that the first of some entries of the master belongs to, null if none, and the number of its
 * started services.
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
