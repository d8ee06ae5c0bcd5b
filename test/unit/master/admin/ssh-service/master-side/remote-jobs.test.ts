import { expect, it } from 'vitest';
import { OverworldError } from '#shared/errors/overworld-error.ts';
import { RemoteFileJobs } from '#master/admin/ssh-service/master-side/remote-jobs.ts';
import type { CopyReport } from '#master/files/tasks/copy.ts';
import { Progress } from '#master/files/tasks/progress.ts';

const request = { paths: ['/files/a'], folder: '/files/b', onConflict: 'refuse', staged: false } as const;

/** Returns the jobs of an SSH service that ends during a copy, after three files. */
function endingJobs(): RemoteFileJobs {
  const ended = (): OverworldError => new OverworldError('SSH_SERVICE_ENDED', { what: 'the request' });
  const jobs: RemoteFileJobs = new RemoteFileJobs(() => ({
    call: (_name, params) => {
      const { task } = params as { task: number };
      jobs.report(task, { files: { done: 3, total: 9 }, bytes: { done: 300, total: 900 } });
      return Promise.reject(ended());
    },
    notify: () => undefined,
  }));
  return jobs;
}

async function copy(signal: AbortSignal): Promise<{ error: unknown; reports: CopyReport[] }> {
  const reports: CopyReport[] = [];
  const work = { signal, progress: new Progress(() => undefined) };
  const onEnd = (report: CopyReport): void => void reports.push(report);
  const error: unknown = await endingJobs()
    .copy(null, { ...request, paths: [...request.paths], onEnd }, work)
    .catch((thrown: unknown) => thrown);
  return { error, reports };
}

it('if the SSH service ends during a copy, the copy reports that it may have changed files', async () => {
  const { error, reports } = await copy(new AbortController().signal);
  expect(error).toMatchObject({ code: 'SSH_SERVICE_ENDED' });
  expect(reports).toEqual([{ files: 3, bytes: 300, changed: true, planned: null }]);
});

it('a copy that is cancelled before it begins reports that it has changed nothing', async () => {
  const cancelled = new OverworldError('TASK_CANCELLED', { task: 'The copy' });
  const { error, reports } = await copy(AbortSignal.abort(cancelled));
  expect(error).toBe(cancelled);
  expect(reports).toEqual([{ files: 0, bytes: 0, changed: false, planned: null }]);
});
