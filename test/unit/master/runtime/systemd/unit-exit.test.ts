import { describe, expect, it } from 'vitest';
import { exitOfUnit } from '#master/runtime/systemd/unit-exit.ts';
import { HERE, nodeService } from '#test/support/master/node-service.ts';

/**
 * Returns the exit of a service.
 *
 * @param words SERVICE_RESULT, EXIT_CODE and EXIT_STATUS, separated by spaces
 */
function exit(words: string, oomKills = 0) {
  const [result = '', code = '', status = ''] = words.split(' ');
  return exitOfUnit(nodeService({ exit: { result, code, status, oomKills } }), HERE);
}

/**
 * Returns the exit of a service that was started in the previous boot.
 *
 * @param words EXIT_CODE and EXIT_STATUS, separated by a space
 */
function before(words: string) {
  const [code = '', status = ''] = words.split(' ');
  const exit = { result: 'success', code, status, oomKills: 0 };
  return exitOfUnit(nodeService({ start: { boot: 'boot-1', uptime: 9 }, exit }), HERE);
}

describe('exitOfUnit (reason for the exit of a systemd unit) returns', () => {
  it.each([
    { says: 'an exit code', is: exit('exit-code exited 3'), want: { code: 3, signal: null } },
    { says: 'a regular exit', is: exit('success exited 0'), want: { code: 0, signal: null } },
    {
      says: 'SIGTERM if the JVM exits with code 143, as on the master’s own machine',
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
      says: 'no reason if the exit was not recorded and the node was not restarted',
      is: exitOfUnit(nodeService(), HERE),
      want: { code: null, signal: null },
    },
    {
      says: 'a restart of the node if the exit was not recorded and the node was restarted',
      is: exitOfUnit(nodeService({ start: { boot: 'boot-1', uptime: 9 } }), HERE),
      want: { code: null, signal: null, why: 'node-restarted' },
    },
    {
      says: 'a restart of the node if the service got SIGTERM before the node was restarted',
      is: before('exited 143'),
      want: { code: null, signal: 'SIGTERM', why: 'node-restarted' },
    },
    {
      says: 'a restart of the node if the service was killed because it did not stop in time before the node restarted',
      is: before('killed KILL'),
      want: { code: null, signal: 'SIGKILL', why: 'node-restarted' },
    },
    {
      says: 'a crash, even if the node was restarted afterwards',
      is: before('exited 1'),
      want: { code: 1, signal: null },
    },
    {
      says: 'out of memory, even if the node was restarted afterwards',
      is: exitOfUnit(
        nodeService({
          start: { boot: 'boot-1', uptime: 9 },
          exit: { result: 'oom-kill', code: 'killed', status: 'KILL', oomKills: 0 },
        }),
        HERE,
      ),
      want: { code: null, signal: 'SIGKILL', why: 'out-of-memory' },
    },
  ])('$says', ({ is, want }) => {
    expect(is).toEqual(want);
  });
});
