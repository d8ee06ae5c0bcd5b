import type { ServiceId } from '#shared/model/service.ts';
import type { Runtime } from '../runtime.ts';
import { collectFiles } from './collect-files.ts';
import type { KeptFiles } from './kept-files.ts';

export interface KeepFilesOptions {
  readonly id: ServiceId;
  readonly source: Pick<Runtime, 'listFiles' | 'readFile'>;
  readonly kept: Pick<KeptFiles, 'add'>;
  /** Removes the folder. Returns false if it was not removed, because the service is running. */
  readonly remove: () => Promise<boolean>;
  readonly log: { warn(details: object, message: string): void } | undefined;
}

/**
 * Removes the folder of an ended service, and keeps its crash reports and logs. A failure to keep them is logged, and
 * does not prevent the removal.
 *
 * @returns whether the folder was removed
 * @throws errors of `remove`
 */
export async function keepFiles({ id, source, kept, remove, log }: KeepFilesOptions): Promise<boolean> {
  const warn = (error: unknown): void =>
    log?.warn({ service: id, err: error }, 'crash reports and logs of a service could not be kept');
  const files = await collectFiles(id, source, { warn });
  const removed = await remove();
  if (removed) await kept.add(id, Date.now(), files).catch(warn);
  return removed;
}
