import { OverworldError } from '#shared/errors/overworld-error.ts';
import { toWire } from '#shared/errors/wire.ts';
import type { FileJobs } from '#master/files/tasks/file-jobs.ts';
import type { CopyReport } from '#master/files/tasks/copy.ts';
import { Progress } from '#master/files/tasks/progress.ts';
import type { Work } from '#master/files/tasks/tasks.ts';
import type { toMaster, toService } from '../messages.ts';
import type { Peer, PeerHandlers } from '../peer.ts';

type JobMessage = 'manifest' | 'search' | 'copy' | 'cancel' | 'requirePlaceForCopy' | 'storeCopy';

/** Creates the handlers for tasks on files, which this process does for the master. */
export function jobHandlers(
  jobs: () => FileJobs,
  master: () => Peer<typeof toMaster>,
): Pick<PeerHandlers<typeof toService>, JobMessage> {
  const running = new Map<number, AbortController>();

  async function run<T>(task: number, work: (work: Work) => Promise<T>): Promise<T> {
    const abort = new AbortController();
    running.set(task, abort);
    const progress = new Progress((report) => master().notify('progress', { task, ...report }));
    try {
      return await work({ signal: abort.signal, progress });
    } finally {
      running.delete(task);
    }
  }

  return {
    manifest: ({ task, limit, ...request }) => run(task, (work) => jobs().manifest(limit, request, work)),
    search: ({ task, limit, limitOfHits, ...request }) =>
      run(task, (work) => jobs().search(limit, { ...request, limit: limitOfHits }, work)),
    copy: ({ task, limit, ...request }) =>
      run(task, async (work) => {
        let report: CopyReport = { files: 0, bytes: 0, changed: false, planned: null };
        const onEnd = (ended: CopyReport): void => void (report = ended);
        try {
          const outcome = await jobs().copy(limit, { ...request, onEnd }, work);
          return { report, outcome };
        } catch (error) {
          return { report, outcome: { error: toWire(error) } };
        }
      }),
    cancel({ task }) {
      running.get(task)?.abort(new OverworldError('TASK_CANCELLED', { task: 'The task' }));
      return {};
    },
    async requirePlaceForCopy() {
      await jobs().requirePlaceForCopy();
      return {};
    },
    storeCopy: ({ task, ...copy }) =>
      run(task, async (work) => ({ folder: await jobs().storeCopy(copy, work) })),
  };
}
