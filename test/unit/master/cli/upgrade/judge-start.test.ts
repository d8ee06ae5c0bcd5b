import { describe, expect, it } from 'vitest';
import {
  judgeStart,
  SERVE_WITHIN_MS,
  STEADY_MS,
  SYNC_WITHIN_MS,
  type MasterObservation,
} from '#master/cli/upgrade/decide/judge-start.ts';

const demand = { version: '0.3.0', mustSync: true, mustServeSsh: true, nodes: ['node-1', 'node-2'] };
const running = { active: 'active', sub: 'running', restarts: 0, exit: 'exit code 0' };
const synced = {
  ...{ version: '0.3.0', hasSynced: true, sshReady: true },
  ...{ observed: ['node-1', 'node-2'], unobserved: ['node-3'] },
};
const starting: MasterObservation = { elapsedMs: 500, goodForMs: null, unit: running, answer: null };

describe('the check of a newly started master in an upgrade', () => {
  it('succeeds once the master has served and synchronised for a while', () => {
    const serving = { ...starting, answer: synced, goodForMs: 0 };
    expect(judgeStart(serving, demand)).toEqual({ kind: 'wait' });
    expect(judgeStart({ ...serving, goodForMs: STEADY_MS }, demand)).toEqual({ kind: 'good' });
  });

  it.each<[string, Partial<MasterObservation>]>([
    ['the master does not answer yet', {}],
    [
      'the master makes no decisions yet',
      { answer: { ...synced, hasSynced: false }, elapsedMs: SERVE_WITHIN_MS },
    ],
    [
      'the master has not yet observed a node that the previous version observed',
      { answer: { ...synced, observed: ['node-1'], unobserved: ['node-2'] }, elapsedMs: SERVE_WITHIN_MS },
    ],
    [
      'the SSH service has not started yet',
      { answer: { ...synced, sshReady: false }, elapsedMs: SERVE_WITHIN_MS - 1, goodForMs: STEADY_MS },
    ],
    [
      'systemd restarts the master for the first time',
      { unit: { ...running, active: 'activating', sub: 'auto-restart' } },
    ],
    ['the master was restarted once and is running', { unit: { ...running, restarts: 1 } }],
  ])('continues if %s', (_what, change) => {
    expect(judgeStart({ ...starting, ...change }, demand)).toEqual({ kind: 'wait' });
  });

  it.each<[string, Partial<MasterObservation>, RegExp]>([
    [
      'the systemd unit has failed',
      { unit: { ...running, active: 'failed', exit: 'signal 9' } },
      /ended with signal 9/,
    ],
    [
      'the systemd unit was not started',
      { unit: { ...running, active: 'inactive' } },
      /ended with exit code 0/,
    ],
    [
      'the master fails again after a restart',
      { unit: { active: 'activating', sub: 'auto-restart', restarts: 1, exit: 'exit code 3' } },
      /exit code 3 each time/,
    ],
    ['the master was restarted several times', { unit: { ...running, restarts: 2 } }, /each time/],
    ['another version answers', { answer: { ...synced, version: '0.2.0' } }, /runs version 0\.2\.0/],
    ['the master never answers', { elapsedMs: SERVE_WITHIN_MS }, /within 60 s/],
    [
      'the SSH service never starts',
      { elapsedMs: SERVE_WITHIN_MS, answer: { ...synced, sshReady: false } },
      /did not serve SSH within 60 s/,
    ],
    [
      'the master never makes decisions',
      { elapsedMs: SYNC_WITHIN_MS, answer: { ...synced, hasSynced: false } },
      /made no decisions after 180 s/,
    ],
    [
      'the master never observes a node that the previous version observed',
      { elapsedMs: SYNC_WITHIN_MS, answer: { ...synced, observed: ['node-1'], unobserved: ['node-2'] } },
      /did not observe node-2 after 180 s/,
    ],
  ])('fails if %s', (_what, change, why) => {
    const verdict = judgeStart({ ...starting, ...change }, demand);
    expect(verdict).toMatchObject({ kind: 'bad', why: expect.stringMatching(why) as string });
  });

  it('does not wait for a node that was released in the meantime', () => {
    const answer = { ...synced, observed: ['node-1'], unobserved: [] };
    expect(judgeStart({ ...starting, answer, goodForMs: STEADY_MS }, demand)).toEqual({ kind: 'good' });
  });

  it('does not require SSH if the previous version did not serve SSH', () => {
    const serving = { ...starting, answer: { ...synced, sshReady: false }, goodForMs: STEADY_MS };
    expect(judgeStart(serving, { ...demand, mustServeSsh: false })).toEqual({ kind: 'good' });
  });

  it('does not require decisions if the previous version made none', () => {
    const answer = { ...synced, hasSynced: false };
    const serving = { ...starting, answer, goodForMs: STEADY_MS };
    expect(judgeStart(serving, { ...demand, mustSync: false })).toEqual({ kind: 'good' });
  });
});
