import { describe, expect, it } from 'vitest';
import { isCalm, toWaitFix, toWaitWord } from '#renderer/view/service/wait.ts';
import { waitReasons, type WaitReason } from '#shared/model/wait.ts';

describe('the reasons why a service waits', () => {
  it('each have their own short name', () => {
    const words = waitReasons.map((reason) => toWaitWord({ reason }).word);
    expect(new Set(words).size).toBe(waitReasons.length);
  });

  it('do not count as problems if the wait is temporary or intended', () => {
    const calm = waitReasons.filter((reason) => isCalm({ reason }));
    expect(calm).toEqual(['HELD', 'FILES_CHANGING', 'NODE_ON_ITS_WAY', 'START_BUDGET']);
  });

  it.each<[WaitReason, ReturnType<typeof toWaitFix>]>([
    ['CAP_REACHED', { kind: 'setting', template: 'lobby', field: 'maximumOnlineServers' }],
    ['SERVER_JAR_MISSING', { kind: 'files', template: 'lobby' }],
    ['TOO_BIG', { kind: 'setting', template: 'lobby', field: 'maxJvmMemory' }],
    ['HELD', { kind: 'put-back', what: 'template', id: 'lobby' }],
    ['CONFIGURE_MODE', { kind: 'configure-mode' }],
    ['BUDGET_REACHED', { kind: 'budget' }],
    ['NO_NODE', { kind: 'nodes' }],
    ['VOLUME_ATTACHED', { kind: 'data', template: 'lobby' }],
    ['VOLUME_DAMAGED', { kind: 'data', template: 'lobby' }],
    ['VOLUME_UNSAVABLE', { kind: 'data', template: 'lobby' }],
    ['NODE_ON_ITS_WAY', null],
  ])('have a link to the remedy: %s', (reason, want) =>
    expect(toWaitFix({ reason }, { template: 'lobby' })).toEqual(want),
  );
});
