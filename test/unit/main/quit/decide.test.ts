import { describe, expect, it } from 'vitest';
import { decideOnQuit, type QuitSituation } from '#main/quit/decide.ts';

const situation = (changes: Partial<QuitSituation>): QuitSituation => ({
  override: null,
  remembered: 'ask',
  services: 2,
  unattended: false,
  ...changes,
});

describe('when the app quits with an embedded master,', () => {
  it.each([
    ['cause a question whether to stop or keep the services', {}, 'ask'],
    ['cause no question if no services are running', { services: 0 }, 'stop'],
    ['are stopped without a question if a remembered choice says so', { remembered: 'stop' }, 'stop'],
    [
      'are stopped if the command-line switch says so, despite a remembered choice to keep them',
      { remembered: 'keep', override: 'stop' },
      'stop',
    ],
    ['are kept if no question can be shown', { unattended: true }, 'keep'],
    ['are kept if the master does not respond', { services: null }, 'keep'],
    [
      'are stopped by a remembered choice even if no question can be shown',
      { unattended: true, remembered: 'stop' },
      'stop',
    ],
  ] as const)('%s', (_sentence, changes, want) => {
    expect(decideOnQuit(situation(changes))).toBe(want);
  });
});
