import { Command } from 'commander';
import { describe, expect, it } from 'vitest';
import { timesOption } from '#master/cli/times-option.ts';
import { DEFAULT_TIMING } from '#master/link/timing.ts';
import { DEFAULT_LIMITS } from '#master/boot/options.ts';

function parse(json: string): unknown {
  const command = new Command().exitOverride().configureOutput({ writeErr: () => undefined });
  return command.addOption(timesOption()).parse(['--times', json], { from: 'user' }).opts()['times'];
}

describe('the intervals at which the master repeats tasks', () => {
  it('have the documented defaults', () => {
    expect(DEFAULT_LIMITS).toEqual({
      roundMs: 1_000,
      startQuietMs: 60_000,
      startMaximumMs: 1_800_000,
      unresponsiveAfterMs: 15_000,
      backoff: { baseMs: 5_000, maxMs: 300_000, slowMaxMs: 3_600_000 },
      pings: { usualMs: 1_000, linkedMs: 60_000 },
    });
    expect(DEFAULT_TIMING).toMatchObject({ heartbeatMs: 5_000, silentAfterMs: 15_000, greetingMs: 5_000 });
  });

  it('can be set with the option --times, which rejects unknown task names', () => {
    const times = {
      limits: { unresponsiveAfterMs: 3_000 },
      linkTiming: { heartbeatMs: 500, silentAfterMs: 2_000 },
    };
    expect(parse(JSON.stringify(times))).toEqual(times);
    for (const json of ['', '3', '{"limits":{"unresponsiveAfterMs":-1}}', '{"limits":{"roundMs":1}}'])
      expect(() => parse(json)).toThrow('names known intervals');
  });

  it('are not mentioned in the help', () => {
    expect(new Command().addOption(timesOption()).helpInformation()).not.toContain('--times');
  });
});
