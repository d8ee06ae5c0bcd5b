import { describe, expect, it } from 'vitest';
import { decideOnQuit, type QuitSituation } from '#main/quit/decide.ts';

const situation = (changes: Partial<QuitSituation>): QuitSituation => ({
  override: null,
  remembered: 'ask',
  running: { services: 2, nodes: 0 },
  unattended: false,
  ...changes,
});

describe('when the app quits with an embedded master', () => {
  it.each([
    ['the user is asked whether to stop or keep the services', {}, 'ask'],
    ['the user is not asked if no services are running', { running: { services: 0, nodes: 0 } }, 'stop'],
    [
      'the user is asked if no services are running, but cloud nodes cost money',
      { running: { services: 0, nodes: 1 } },
      'ask',
    ],
    [
      'the user is asked about cloud nodes without services even if there is an earlier choice about services',
      { running: { services: 0, nodes: 1 }, remembered: 'stop' },
      'ask',
    ],
    [
      'nothing is stopped if there are only cloud nodes and the user cannot be asked',
      { running: { services: 0, nodes: 1 }, remembered: 'stop', unattended: true },
      'keep',
    ],
    [
      'an earlier choice applies if there are services and cloud nodes',
      { running: { services: 2, nodes: 1 }, remembered: 'keep' },
      'keep',
    ],
    [
      'services are stopped without asking if the user has chosen this before',
      { remembered: 'stop' },
      'stop',
    ],
    [
      'services are stopped if a command-line switch requires it, even if an earlier choice was to keep services',
      { remembered: 'keep', override: 'stop' },
      'stop',
    ],
    ['services are kept if the user cannot be asked', { unattended: true }, 'keep'],
    ['services are kept if the master does not respond', { running: null }, 'keep'],
    [
      'services are stopped if this was an earlier choice of the user, even if the user cannot be asked now',
      { unattended: true, remembered: 'stop' },
      'stop',
    ],
  ] as const)('%s', (_sentence, changes, want) => {
    expect(decideOnQuit(situation(changes))).toBe(want);
  });
});
