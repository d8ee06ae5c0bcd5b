import { describe, expect, it } from 'vitest';
import { stageOf, startedAtMs } from '#master/runtime/systemd/observed-units.ts';
import { HERE, nodeService } from '#test/support/master/node-service.ts';

describe('stageOf (state of a service according to its systemd unit) returns', () => {
  const alive = { active: 'active', pid: 7, alive: true };
  it.each([
    { says: 'alive for a running unit', is: nodeService({ unit: alive }), want: 'alive' },
    {
      says: 'alive for a unit that started between two observations',
      is: nodeService({ start: null, unit: alive }),
      want: 'alive',
    },
    {
      says: 'prepared for a recorded service that was not started',
      is: nodeService({ start: null }),
      want: 'prepared',
    },
    { says: 'ended for a started service whose unit does not run', is: nodeService(), want: 'ended' },
    {
      says: 'unknown for a service without a record',
      is: nodeService({ record: null, unit: alive }),
      want: 'unknown',
    },
  ])('$says', ({ is, want }) => {
    expect(stageOf(is)).toBe(want);
  });
});

describe('startedAtMs (time at which a service was started)', () => {
  it("is computed from the node's uptime instead of the node's clock", () => {
    expect(startedAtMs({ boot: 'boot-2', uptime: 100 }, HERE, 1_000_000)).toBe(600_000);
    expect(startedAtMs({ boot: 'boot-2', uptime: 501 }, HERE, 1_000_000)).toBe(1_000_000);
    expect(startedAtMs({ boot: 'boot-1', uptime: 9_000 }, HERE, 1_000_000)).toBe(500_000);
  });
});
