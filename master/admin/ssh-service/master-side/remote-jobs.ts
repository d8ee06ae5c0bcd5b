import { fromWire } from '#shared/errors/wire.ts';
import type { CopyReport } from '#master/files/tasks/copy.ts';
import type { FileJobs } from '#master/files/tasks/file-jobs.ts';
import type { Progress } from '#master/files/tasks/progress.ts';
import type { Work } from '#master/files/tasks/tasks.ts';
import type { toService } from '../messages.ts';
import type { Peer } from '../peer.ts';

type ToService = Pick<Peer<typeof toService>, 'call' | 'notify'>;

type ForwardProgress = Progress['forward'];

interface ForwardingWork {
  readonly signal: AbortSignal;
  readonly progress: ForwardProgress;
}

/** Passes tasks on files to the SSH service, which has the access to the files, and waits for their results. */
export class RemoteFileJobs implements FileJobs {
  readonly #service: () => ToService;
  readonly #running = new Map<number, ForwardProgress>();
  #last = 0;

  /** @param service returns the current SSH service, or throws OverworldError SSH_SERVICE_ENDED if none runs */
  constructor(service: () => ToService) {
    this.#service = service;
  }

  /** Reports the progress of a task that the service has sent. */
  report(task: number, progress: Parameters<Progress['forward']>[0]): void {
    this.#running.get(task)?.(progress);
  }

  manifest: FileJobs['manifest'] = (limit, { folder, hashes }, work) =>
    this.#run(forwarding(work), (service, task) =>
      service.call('manifest', { task, limit: toList(limit), folder, hashes }),
    );

  search: FileJobs['search'] = (limit, request, work) => {
    const { folder, name, text, caseSensitive, limit: limitOfHits } = request;
    const wanted = { folder, name, text, caseSensitive, limitOfHits };
    return this.#run(forwarding(work), (service, task) =>
      service.call('search', { task, limit: toList(limit), ...wanted }),
    );
  };

  copy: FileJobs['copy'] = async (limit, { paths, folder, onConflict, staged, onEnd }, work) => {
    const wanted = { limit: toList(limit), paths: [...paths], folder, onConflict, staged };
    let report: CopyReport = { files: 0, bytes: 0, changed: false, planned: null };
    const progress: ForwardProgress = (done) => {
      report = { ...report, files: done.files.done, bytes: done.bytes.done };
      work.progress.forward(done);
    };
    try {
      const answer = await this.#run({ ...work, progress }, (service, task) => {
        // If the service ends during the copy, it is unknown what it has copied, so the files count as changed.
        report = { ...report, changed: true };
        return service.call('copy', { task, ...wanted });
      });
      ({ report } = answer);
      if ('error' in answer.outcome) throw fromWire(answer.outcome.error);
      return answer.outcome;
    } finally {
      onEnd(report);
    }
  };

  requirePlaceForCopy: FileJobs['requirePlaceForCopy'] = async () => {
    await this.#service().call('requirePlaceForCopy', {});
  };

  storeCopy: FileJobs['storeCopy'] = async (copy, work) => {
    const stored = await this.#run(forwarding(work), (service, task) =>
      service.call('storeCopy', { task, ...copy }),
    );
    return stored.folder;
  };

  async #run<T>(
    { signal, progress }: ForwardingWork,
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

function forwarding({ signal, progress }: Work): ForwardingWork {
  return { signal, progress: (done) => progress.forward(done) };
}

function toList(limit: readonly string[] | null): string[] | null {
  return limit === null ? null : [...limit];
}
