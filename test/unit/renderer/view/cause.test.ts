import { describe, expect, it } from 'vitest';
import { toCauseWords } from '#renderer/view/cause.ts';

describe('toCauseWords (explains the cause of an action in plain words)', () => {
  it.each([
    ['minimumRunningServers is 1; 0 ready, 0 starting', 'Keeps 1 empty service ready'],
    ['minimumRunningServers is 3; 0 ready, 0 on the way', 'Keeps 3 empty services ready'],
    [
      'minimumRunningServers is 3; 1 ready, 0 starting; rolling restart: 2 of 5 being replaced',
      'Keeps 3 empty services ready',
    ],
    [
      'minimumRunningServers is 2; it is no longer needed',
      'No longer needed: keeps 2 empty services ready without it',
    ],
    [
      'startNewServiceAtGlobalCapacity: 82 of 100 players on the network, 82 % ≥ 80 %; 1 ready, 0 starting',
      '82 % of the network’s player limit is reached',
    ],
    [
      'startNewServiceAtTemplateCapacity: 12 of 20 players, 60 % ≥ 50 %',
      '60 % of the template’s player slots are taken',
    ],
    ['maximumOnlineServers is 3', 'More than the maximum of 3 services'],
    [
      'unused for 125 s (killUnusedTooManyServersAfter is 120000 ms); no rule needs it',
      'Empty for 2 minutes 5 seconds and not needed',
    ],
    [
      '6900 of 8000 MB allocated, 86 % ≥ 80 % (upscaling_at_percent_capacity); cpx32 is the cheapest that is enough (0.03 EUR per hour each)',
      '86 % of the RAM of all nodes is allocated',
    ],
    ['priority 1; takes 1399 of 8000 MB free on local', 'local has room for it'],
  ])('returns for %j: %j, and keeps the name of the rule', (cause, text) => {
    expect(toCauseWords(cause)).toEqual({ text, rule: cause });
  });

  it('returns any other cause unchanged', () => {
    expect(toCauseWords('requested by anna')).toEqual({ text: 'requested by anna', rule: null });
  });
});
