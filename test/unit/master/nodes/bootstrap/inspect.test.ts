import { describe, expect, it } from 'vitest';
import { clockOff, inspect, lastOutputLine } from '#master/nodes/bootstrap/inspect.ts';
import { warningOf } from '#master/nodes/bootstrap/warnings.ts';
import type { NodeShell, ShellResult } from '#master/nodes/shell.ts';

const HEALTHY: Readonly<Record<string, string>> = {
  clock: '',
  client: '10.0.0.1',
  python: '3.11',
  java: '/usr/bin/java',
  javaProblem: '',
  firewallProblem: '',
  javaTriedAgo: '',
  marker: 'abc',
  step: '',
  cloudInit: 'done',
  cloudErrors: '',
  freeKb: '40000000',
  usedInodesPercent: '3',
};

/** Creates a shell that returns this result for every command. */
function saying(result: Partial<ShellResult>): NodeShell {
  return {
    connected: true,
    run: () => Promise.resolve({ code: 0, signal: null, stdout: Buffer.alloc(0), stderr: '', ...result }),
    follow: () => Promise.reject(new Error('nothing is followed here')),
    speak: () => Promise.reject(new Error('nobody is spoken with here')),
    onChange: () => () => undefined,
  };
}

function finding(values: Readonly<Record<string, string>> = {}): ReturnType<typeof inspect> {
  const all = { ...HEALTHY, clock: String(Date.now()), ...values };
  const lines = Object.entries(all).map(([name, value]) => `${name}=${value}\n`);
  return inspect(saying({ stdout: Buffer.from(lines.join('')) }), 'node-1');
}

describe('inspect (reads the state of a node over SSH)', () => {
  it('returns null for each value that the node does not report', async () => {
    expect(await finding({ clock: String(Date.now()) })).toMatchObject({
      ...{ client: '10.0.0.1', python: '3.11', java: '/usr/bin/java', javaProblem: null, marker: 'abc' },
      ...{ cloudInit: 'done', freeKb: 40_000_000, usedInodesPercent: 3, javaTriedAgo: null },
    });
  });

  it.each([
    { name: 'an invalid clock', values: { clock: 'noon' } },
    { name: 'an unknown state', values: { cloudInit: 'maybe' } },
    { name: 'a missing value of free space', values: { freeKb: '' } },
    { name: 'a value that is too long', values: { java: 'x'.repeat(2_000) } },
  ])('rejects the report of a node with $name', async ({ values }) => {
    await expect(finding(values)).rejects.toMatchObject({ code: 'NODE_TOOL_FAILED' });
  });

  it.each(['0.0.0.0/0', 'example.net', '10.0.0.1/8', 'fe80::1%eth0', '10.0.0.1 10.0.0.2'])(
    'ignores the invalid address %s that a node reports for the master',
    async (client) => {
      expect(await finding({ client })).toMatchObject({ client: null });
    },
  );

  it("throws an error with the last line of the node's error output", async () => {
    const looked = inspect(saying({ code: 1, stderr: 'one\nsh: not found\n' }), 'node-1');
    await expect(looked).rejects.toMatchObject({ details: { why: 'it answered "sh: not found"' } });
    expect(lastOutputLine('  \n')).toBeNull();
  });
});

describe("clockOff (difference between a node's clock and the master's clock)", () => {
  it.each([
    { name: 'correct', theirs: 1_100, want: 0 },
    { name: 'possibly correct', theirs: 1_000, want: 0 },
    { name: 'behind', theirs: 900, want: -100 },
    { name: 'ahead', theirs: 1_300, want: 100 },
  ])('returns $want ms for a clock that is $name', ({ theirs, want }) => {
    expect(clockOff(theirs, 1_000, 1_200)).toBe(want);
  });
});

describe('warningOf (warning that the app shows for a node)', () => {
  it.each([
    { values: {}, want: null },
    { values: { freeKb: '204800' }, want: 'Its disk is almost full: 200 MB are free.' },
    {
      values: { usedInodesPercent: '99' },
      want: 'Its disk is almost out of inodes: 99 % are used.',
    },
    { values: { java: '' }, want: null },
    {
      values: { java: '', javaProblem: 'E: no network' },
      want: 'Java could not be installed (E: no network). The installation is retried.',
    },
    {
      values: { firewallProblem: 'nftables is not installed' },
      want: 'Its firewall could not be set up (nftables is not installed). Its game servers can connect to all services.',
    },
  ])('returns $want for the reported values $values', async ({ values, want }) => {
    expect(warningOf(await finding(values))).toBe(want);
  });

  it('returns a warning about a clock that is wrong by more than five seconds', async () => {
    expect(warningOf(await finding({ clock: String(Date.now() - 4_000) }))).toBeNull();
    expect(warningOf(await finding({ clock: String(Date.now() + 60_500) }))).toMatch(
      /^Its clock is 6[01] s ahead of the master's; times in its logs are off\.$/,
    );
  });
});
