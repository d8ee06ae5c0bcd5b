import { describe, expect, it } from 'vitest';
import { installJobSchema, type InstallJob } from '#shared/ipc/contract.ts';
import {
  againJob,
  beginStep,
  cancelJob,
  endStep,
  failJob,
  newJob,
  withStep,
} from '#main/install/job/job-state.ts';

const subject = {
  id: 'j',
  kind: 'install',
  address: 'root@a:22',
  from: null,
  connection: null,
  version: '0.2.0',
} as const;
const error = { code: 'INTERNAL' as const, details: { what: 'x' }, message: 'x' };

function stepOf(job: InstallJob, name: string) {
  return job.steps.find((step) => step.name === name);
}

describe('the state of an installation job', () => {
  it('begins with all steps "waiting", and an update has no configuration step', () => {
    const job = newJob(subject);
    expect(installJobSchema.parse(job)).toEqual(job);
    expect(new Set(job.steps.map(({ status }) => status))).toEqual(new Set(['waiting']));
    expect(job.steps.map(({ name }) => name)).toContain('configure');
    expect(job.steps.map(({ name }) => name)).not.toContain('services');
    expect(
      newJob(subject, true)
        .steps.map(({ name }) => name)
        .slice(-3),
    ).toEqual([...['start', 'services', 'reach']]);
    expect(newJob({ ...subject, kind: 'update' }).steps.map(({ name }) => name)).toEqual([
      ...['connect', 'check', 'package', 'upload', 'install', 'start', 'reach'],
    ]);
  });

  it("has steps for both servers of a move, and first asks for the old server's host key", () => {
    const job = newJob({ ...subject, kind: 'move', from: 'root@old:22' });
    expect(installJobSchema.parse(job)).toEqual(job);
    expect(job).toMatchObject({ address: 'root@a:22', from: 'root@old:22', hostKeyOf: 'root@old:22' });
    expect(job.steps.map(({ name }) => name)).toEqual([
      ...['leave', 'connect', 'check', 'package', 'upload', 'install'],
      ...['copy', 'handOver', 'configure', 'start', 'reach'],
    ]);
    expect(newJob(subject)).toMatchObject({ from: null, hostKeyOf: 'root@a:22' });
  });

  it('contains the start and the duration of each step', () => {
    const began = beginStep(newJob(subject), 'check', 5_000);
    expect(stepOf(began, 'check')).toMatchObject({ status: 'running', startedAt: 5_000, ms: null });
    const ended = endStep(began, 'check', { status: 'done', at: 5_250 });
    expect(stepOf(ended, 'check')).toMatchObject({ status: 'done', startedAt: 5_000, ms: 250 });
  });

  it('contains a duration of 0 ms if the clock was set back', () => {
    const job = endStep(beginStep(newJob(subject), 'check', 5_000), 'check', { status: 'done', at: 1_000 });
    expect(stepOf(job, 'check')?.ms).toBe(0);
  });

  it('is "failed" when a step fails, and the step is "failed", too', () => {
    const job = failJob(beginStep(newJob(subject), 'upload', 10), error, 30);
    expect(job).toMatchObject({ status: 'failed', error, question: null });
    expect(stepOf(job, 'upload')).toMatchObject({ status: 'failed', ms: 20 });
    expect(stepOf(job, 'check')?.status).toBe('waiting');
  });

  it('marks the running step as "waiting" again after a cancellation', () => {
    const running = withStep(beginStep(newJob(subject), 'upload', 10), 'upload', {
      progress: { done: 1, total: 2 },
    });
    const job = cancelJob(running);
    expect(job).toMatchObject({ status: 'cancelled', error: null });
    expect(stepOf(job, 'upload')).toMatchObject({ status: 'waiting', detail: 'Cancelled', progress: null });
  });

  it('keeps host key and previous version for a retry on the same server, but not on another server', () => {
    const failed: InstallJob = {
      ...failJob(beginStep(newJob(subject), 'start', 1), error, 2),
      ...{ hostKey: 'SHA256:s', versionBefore: '0.1.0', problems: [{ severity: 'warning', text: 'x' }] },
    };
    const again = againJob(failed, { address: 'root@a:22', from: null });
    expect(again).toMatchObject({
      status: 'running',
      error: null,
      hostKey: 'SHA256:s',
      versionBefore: '0.1.0',
    });
    expect(again.problems).toEqual([]);
    expect(stepOf(again, 'start')).toMatchObject({ status: 'waiting', ms: null });
    expect(againJob(failed, { address: 'root@b:22', from: null })).toMatchObject({
      address: 'root@b:22',
      hostKey: null,
      versionBefore: null,
    });
  });

  it("asks for the old server's host key again when a move is repeated", () => {
    const moving = newJob({ ...subject, kind: 'move', from: 'root@old:22' });
    const failed = {
      ...failJob(moving, error, 2),
      ...{ hostKey: 'SHA256:new', hostKeyOf: 'root@a:22', versionBefore: '0.1.0' },
    };
    expect(againJob(failed, { address: 'root@a:22', from: 'root@old:22' })).toMatchObject({
      ...{ hostKey: null, hostKeyOf: 'root@old:22', versionBefore: '0.1.0' },
    });
    expect(againJob(failed, { address: 'root@a:22', from: 'root@other:22' })).toMatchObject({
      ...{ from: 'root@other:22', hostKeyOf: 'root@other:22', versionBefore: null },
    });
  });
});
