import { describe, expect, it } from 'vitest';
import { decideOnQuit, type QuitSituation } from '#main/quit/decide.ts';

const situation = (changes: Partial<QuitSituation>): QuitSituation => ({
  override: null,
  remembered: 'ask',
  services: 2,
  unattended: false,
  ...changes,
});

describe('services when the app quits', () => {
  it.each([
    ['are decided by the person', {}, 'ask'],
    ['need no decision if there are none', { services: 0 }, 'stop'],
    ['follow a remembered choice', { remembered: 'stop' }, 'stop'],
    ['follow the switch rather than a remembered choice', { remembered: 'keep', override: 'stop' }, 'stop'],
    ['are kept if nobody can be asked', { unattended: true }, 'keep'],
    ['are kept if the master does not respond', { services: null }, 'keep'],
    ['follow a remembered choice if nobody can be asked', { unattended: true, remembered: 'stop' }, 'stop'],
  ] as const)('%s', (_sentence, changes, want) => {
    expect(decideOnQuit(situation(changes))).toBe(want);
  });
});
