import { services } from '../../../stores/services.svelte.ts';
import { templateOf } from '../paths.ts';

/** The template that files of the master belong to, and how many of its services run now. */
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
