import { fromWire } from '#shared/errors/wire.ts';
import type { FileJobs } from '#master/files/tasks/file-jobs.ts';
import type { Progress } from '#master/files/tasks/progress.ts';
import type { Work } from '#master/files/tasks/tasks.ts';
import type { toService } from '../messages.ts';
import type { Peer } from '../peer.ts';

type ToService = Pick<Peer<typeof toService>, 'call' | 'notify'>;

/** Has the tasks on files done by the SSH service, which has the jail. */
export class RemoteFileJobs implements FileJobs {
  readonly #service: () => ToService;
  readonly #running = new Map<number, Progress>();
  #last = 0;

  /** @param service returns the current SSH service. @throws OverworldError SSH_SERVICE_ENDED if none runs */
  constructor(service: () => ToService) {
    this.#service = service;
  }

  /** Passes on the progress of a task. */
  report(task: number, progress: Parameters<Progress['forward']>[0]): void {
    this.#running.get(task)?.forward(progress);
  }

  manifest: FileJobs['manifest'] = (limit, { folder, hashes }, work) =>
    this.#run(work, (service, task) =>
      service.call('manifest', { task, limit: toList(limit), folder, hashes }),
    );

  search: FileJobs['search'] = (limit, request, work) => {
    const { folder, name, text, caseSensitive, limit: limitOfHits } = request;
    const wanted = { folder, name, text, caseSensitive, limitOfHits };
    return this.#run(work, (service, task) =>
      service.call('search', { task, limit: toList(limit), ...wanted }),
    );
  };

  copy: FileJobs['copy'] = async (limit, { paths, folder, onConflict, staged, onEnd }, work) => {
    const wanted = { limit: toList(limit), paths: [...paths], folder, onConflict, staged };
    const { report, outcome } = await this.#run(work, (service, task) =>
      service.call('copy', { task, ...wanted }),
    );
    onEnd(report);
    if ('error' in outcome) throw fromWire(outcome.error);
    return outcome;
  };

  requirePlaceForCopy: FileJobs['requirePlaceForCopy'] = async () => {
    await this.#service().call('requirePlaceForCopy', {});
  };

  storeCopy: FileJobs['storeCopy'] = async (copy) => (await this.#service().call('storeCopy', copy)).folder;

  async #run<T>(
    { signal, progress }: Work,
    call: (service: ToService, task: number) => Promise<T>,
  ): Promise<T> {
    signal.throwIfAborted();
    const service = this.#service();
    this.#last += 1;
    const task = this.#last;
    this.#running.set(task, progress);
    const cancel = (): void => service.notify('cancel', { task });
    signal.addEventListener('abort', cancel);
    try {
      return await call(service, task);
    } finally {
      signal.removeEventListener('abort', cancel);
      this.#running.delete(task);
    }
  }
}

function toList(limit: readonly string[] | null): string[] | null {
  return limit === null ? null : [...limit];
}
