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
    ['a person is asked', {}, 'ask'],
    ['with no services there is nothing to ask', { services: 0 }, 'stop'],
    ['a remembered choice is not asked again', { remembered: 'stop' }, 'stop'],
    ['the switch counts for more than what was remembered', { remembered: 'keep', override: 'stop' }, 'stop'],
    ['nobody there: players are not thrown out', { unattended: true }, 'keep'],
    ['the master does not answer: nothing can be stopped', { services: null }, 'keep'],
    ['nobody there, but a choice was remembered', { unattended: true, remembered: 'stop' }, 'stop'],
  ] as const)('%s', (_sentence, changes, want) => {
    expect(decideOnQuit(situation(changes))).toBe(want);
  });
});
