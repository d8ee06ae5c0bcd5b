import { describe, expect, it } from 'vitest';
import { summarizeLog } from '#master/cli/machine/unit.ts';
import { hasGivenUp } from '#master/cli/machine/wait-until-serving.ts';

describe('summarizeLog (summary of the log of a master that fails to start)', () => {
  it('returns the last messages, and omits structured messages below level "warning"', () => {
    const log = [
      '{"level":30,"msg":"starting"}',
      '{"level":50,"msg":"the link failed","err":{"message":"EADDRINUSE"}}',
      'The master cannot listen on 0.0.0.0:22.',
      '{"level":60,"msg":"over"}',
      '',
    ].join('\n');
    expect(summarizeLog(log, 2)).toBe('The master cannot listen on 0.0.0.0:22. over');
    expect(summarizeLog(log, 9)).toBe(
      'the link failed: EADDRINUSE The master cannot listen on 0.0.0.0:22. over',
    );
    expect(summarizeLog('', 3)).toBe('');
    expect(summarizeLog('{broken', 3)).toBe('{broken');
  });
});

describe('hasGivenUp (whether systemd has stopped trying to start a unit)', () => {
  it.each([
    { active: 'activating', sub: 'start', restarts: 0, over: false },
    { active: 'active', sub: 'running', restarts: 0, over: false },
    { active: 'activating', sub: 'auto-restart', restarts: 2, over: false },
    { active: 'activating', sub: 'auto-restart', restarts: 3, over: true },
    { active: 'active', sub: 'running', restarts: 3, over: false },
    { active: 'failed', sub: 'failed', restarts: 2, over: true },
    { active: 'inactive', sub: 'dead', restarts: 2, over: true },
  ])('returns $over in the state $active ($sub) after $restarts restarts', ({ over, ...state }) => {
    expect(hasGivenUp(state, 2)).toBe(over);
  });
});
