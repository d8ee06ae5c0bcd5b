import { describe, expect, it } from 'vitest';
import { jobTimeoutMs, questionAboutJob } from '#main/quit/running-job.ts';
import type { InstallJob } from '#shared/ipc/contract.ts';

const job = (kind: InstallJob['kind'], status: InstallJob['status'] = 'running') => ({
  ...{ kind, status, address: 'root@play.example.org:22' },
});

describe('a job on a server when the app quits', () => {
  it('causes a question while it runs or waits for an answer', () => {
    expect(questionAboutJob(job('move'))?.message).toBe(
      'A master is being moved to root@play.example.org:22.',
    );
    expect(questionAboutJob(job('move'))?.detail).toContain('starts the old master again');
    expect(questionAboutJob(job('update', 'asking'))?.detail).toContain('continues without the app');
  });

  it('causes no question after it has ended', () => {
    expect(questionAboutJob(null)).toBeNull();
    for (const status of ['done', 'failed', 'cancelled'] as const)
      expect(questionAboutJob(job('install', status))).toBeNull();
  });

  it('can start the old master again after a move, unless the system shuts down', () => {
    expect(jobTimeoutMs(job('move'), false)).toBeGreaterThan(5 * 60_000);
    expect(jobTimeoutMs(job('move'), true)).toBe(5_000);
    expect(jobTimeoutMs(job('update'), false)).toBe(5_000);
  });
});
