import { describe, expect, it } from 'vitest';
import { exitOf, stageOf, startedAtMs } from '#master/runtime/systemd/observed-units.ts';
import type { NodeService } from '#master/runtime/systemd/tool-answers.ts';
import { serviceSpec } from '#test/support/master/service-spec.ts';

const here = { boot: 'boot-2', uptime: 500 };
const record = { spec: { ...serviceSpec(), defaultServiceFiles: [] }, port: 25_565, cluster: 'c-1' };

function service(change: Partial<NodeService> = {}): NodeService {
  const unit = { active: 'inactive', pid: null, alive: false };
  return {
    id: 'lobby-1',
    recorded: true,
    record,
    start: { boot: 'boot-2', uptime: 100 },
    exit: null,
    unit,
    ...change,
  };
}

/** @param words SERVICE_RESULT, EXIT_CODE, EXIT_STATUS */
function exit(words: string, oomKills = 0) {
  const [result = '', code = '', status = ''] = words.split(' ');
  return exitOf(service({ exit: { result, code, status, oomKills } }), here);
}

/** Returns the exit of a service that was started in the previous boot. @param words EXIT_CODE, EXIT_STATUS */
function before(words: string) {
  const [code = '', status = ''] = words.split(' ');
  const exit = { result: 'success', code, status, oomKills: 0 };
  return exitOf(service({ start: { boot: 'boot-1', uptime: 9 }, exit }), here);
}

describe('stageOf returns', () => {
  const alive = { active: 'active', pid: 7, alive: true };
  it.each([
    { says: 'alive for a running unit', is: service({ unit: alive }), want: 'alive' },
    {
      says: 'alive for a unit that started between two observations',
      is: service({ start: null, unit: alive }),
      want: 'alive',
    },
    { says: 'prepared for a record without a start', is: service({ start: null }), want: 'prepared' },
    { says: 'ended for a start without a running unit', is: service(), want: 'ended' },
    { says: 'unknown without a record', is: service({ record: null, unit: alive }), want: 'unknown' },
  ])('$says', ({ is, want }) => {
    expect(stageOf(is)).toBe(want);
  });
});

describe('exitOf reports', () => {
  it.each([
    { says: 'an exit code', is: exit('exit-code exited 3'), want: { code: 3, signal: null } },
    { says: 'a regular exit', is: exit('success exited 0'), want: { code: 0, signal: null } },
    {
      says: 'a JVM after TERM, as on the master’s own machine',
      is: exit('success exited 143'),
      want: { code: null, signal: 'SIGTERM' },
    },
    { says: 'a signal', is: exit('signal killed KILL'), want: { code: null, signal: 'SIGKILL' } },
    { says: 'a core dump', is: exit('core-dump dumped SEGV'), want: { code: null, signal: 'SIGSEGV' } },
    {
      says: 'out of memory, as systemd reports it with cgroup v2',
      is: exit('oom-kill killed KILL'),
      want: { code: null, signal: 'SIGKILL', why: 'out-of-memory' },
    },
    {
      says: 'out of memory, as the kernel counts it with cgroup v1',
      is: exit('signal killed KILL', 1),
      want: { code: null, signal: 'SIGKILL', why: 'out-of-memory' },
    },
    {
      says: 'an exit code despite a child process that ran out of memory',
      is: exit('exit-code exited 1', 1),
      want: { code: 1, signal: null },
    },
    { says: 'an invalid status', is: exit('resources'), want: { code: null, signal: null } },
    {
      says: 'a missing note, in the same boot',
      is: exitOf(service(), here),
      want: { code: null, signal: null },
    },
    {
      says: 'a missing note, from an earlier boot',
      is: exitOf(service({ start: { boot: 'boot-1', uptime: 9 } }), here),
      want: { code: null, signal: null, why: 'node-restarted' },
    },
    {
      says: 'TERM from an earlier boot, whose node was shut down',
      is: before('exited 143'),
      want: { code: null, signal: 'SIGTERM', why: 'node-restarted' },
    },
    {
      says: 'a crash in an earlier boot',
      is: before('exited 1'),
      want: { code: 1, signal: null },
    },
    {
      says: 'out of memory in an earlier boot',
      is: exitOf(
        service({
          start: { boot: 'boot-1', uptime: 9 },
          exit: { result: 'oom-kill', code: 'killed', status: 'KILL', oomKills: 0 },
        }),
        here,
      ),
      want: { code: null, signal: 'SIGKILL', why: 'out-of-memory' },
    },
  ])('$says', ({ is, want }) => {
    expect(is).toEqual(want);
  });
});

describe('startedAtMs', () => {
  it("uses the time since boot instead of the node's clock", () => {
    expect(startedAtMs({ boot: 'boot-2', uptime: 100 }, here, 1_000_000)).toBe(600_000);
    expect(startedAtMs({ boot: 'boot-2', uptime: 501 }, here, 1_000_000)).toBe(1_000_000);
    expect(startedAtMs({ boot: 'boot-1', uptime: 9_000 }, here, 1_000_000)).toBe(500_000);
  });
});
