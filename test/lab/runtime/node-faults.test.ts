import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { LogLine } from '#shared/model/log-line.ts';
import { buildProbeServer } from '../../support/java/probe-server.ts';
import { settled } from '../../support/files/template-fixture.ts';
import { waitFor } from '../../support/wait-for.ts';
import { sharedLab } from '../kit/lab.ts';
import { bootKeyed, nodeStage, sees, type KeyedNode, type NodeStage } from '../stage/node-stage.ts';

const lab = sharedLab();
let probe: ReturnType<typeof buildProbeServer>;
let keyed: KeyedNode;
beforeAll(async () => {
  probe = buildProbeServer();
  keyed = await bootKeyed(lab, { diskMb: 2_000 });
});
afterAll(() => probe.remove());

const fixture = (): Promise<NodeStage> => nodeStage(keyed, probe.jar);

/** Returns the number N of each line `tick N` in a log. */
function ticksIn(lines: readonly string[]): number[] {
  return lines.flatMap((line) => (/^tick \d+$/.test(line) ? [Number(line.slice(5))] : []));
}

function upTo(count: number): number[] {
  return Array.from({ length: count }, (_, n) => n);
}

/**
 * Writes lines to the service's console directly on the node, so that the state of the node's network does not
 * matter.
 */
async function tick(from: number, to: number, id = 'lobby-1'): Promise<void> {
  const loop = `for n in $(seq ${from} ${to - 1}); do echo "say tick $n"; done`;
  await keyed.node.must(`${loop} > /run/overworld/console/${id}`);
}

describe('the log of a service on a node', () => {
  it('is copied completely, in order and without duplicates despite restarts of sshd, journald and the master', async () => {
    const { open, spec, node, shell } = await fixture();
    const first = open();
    await first.prepare(await spec());
    await first.start('lobby-1');
    await sees(first, /probe ready/);
    const seen: LogLine[] = [];
    const followed = await first.followLog('lobby-1', 100, (lines) => seen.push(...lines));
    seen.unshift(...followed.lines);
    await tick(0, 100);
    await waitFor(() => seen.some(({ text }) => text === 'tick 99'));

    node.partition('from-node');
    await tick(100, 200);
    await waitFor(() => !shell.connected, { timeoutMs: 60_000, what: 'the break to be noticed' });
    node.heal();
    await waitFor(() => seen.some(({ text }) => text === 'tick 199'), { timeoutMs: 60_000 });

    await node.must('systemctl restart ssh; pkill -f "[s]shd: root@notty" || true');
    await tick(200, 300);
    await node.must('systemctl restart systemd-journald');
    await tick(300, 400);
    await waitFor(() => seen.some(({ text }) => text === 'tick 399'), { timeoutMs: 60_000 });
    followed.close();
    await first.close();

    await tick(400, 500);
    const second = open();
    await sees(second, /^tick 499$/);
    expect(ticksIn(await second.tailLog('lobby-1', 1000))).toEqual(upTo(500));
    expect(seen.map(({ seq }) => seq)).toEqual(upTo(seen.length));
    expect(ticksIn(seen.map(({ text }) => text))).toEqual(upTo(400));
    await second.stop('lobby-1', { graceMs: 10_000 });
    expect(ticksIn(await second.tailLog('lobby-1', 1000))).toEqual(upTo(500));
    expect((await second.tailLog('lobby-1', 1)).at(-1)).toBe('got stop');
  });

  it('contains each line from the time before a reboot of the node, even if the master was not connected at that time', async () => {
    const { open, spec, node, shell } = await fixture();
    const runtime = open();
    await runtime.prepare(await spec({ id: 'lobby-3' }));
    await runtime.start('lobby-3');
    await sees(runtime, /probe ready/, 'lobby-3');
    node.partition();
    await waitFor(() => !shell.connected, { timeoutMs: 60_000, what: 'the break to be noticed' });
    await tick(0, 100, 'lobby-3');
    await waitFor(
      async () => (await node.run('journalctl -u overworld@lobby-3 --grep "^tick 99$"')).code === 0,
    );
    await node.reboot();
    node.heal();
    await waitFor(() => shell.connected, { timeoutMs: 60_000 });
    await runtime.observe();
    await runtime.forget('lobby-3');
    await runtime.prepare(await spec({ id: 'lobby-3' }));
    await runtime.start('lobby-3');
    await runtime.command('lobby-3', 'say after the reboot');
    await sees(runtime, /^after the reboot$/, 'lobby-3');
    const lines = await runtime.tailLog('lobby-3', 1000);
    expect(lines.filter((line) => line.startsWith('probe ready'))).toHaveLength(2);
    expect(ticksIn(lines)).toEqual(upTo(100));
  });

  it('contains colours, long lines, and each line of a large output', async () => {
    const { open, spec } = await fixture();
    const runtime = open();
    await runtime.prepare(await spec({ id: 'lobby-31' }));
    await runtime.start('lobby-31');
    await runtime.command('lobby-31', 'say \u001b[31mred\u001b[0m <3>not a level');
    await runtime.command('lobby-31', 'flood 8');
    await runtime.command('lobby-31', 'say after the flood');
    await sees(runtime, /^after the flood$/, 'lobby-31');
    const lines: string[] = [];
    for (let from: number | null = 0; from !== null;) {
      const page = await runtime.readLog('lobby-31', from, 2000);
      lines.push(...page.lines.map(({ text }) => text));
      from = page.next;
    }
    expect(lines[1]).toBe('\u001b[31mred\u001b[0m <3>not a level');
    expect(lines.filter((line) => line === 'x'.repeat(1023))).toHaveLength(8 * 1024);
    expect(
      (await runtime.searchLog('lobby-31', { text: 'red <3>', caseSensitive: true, limit: 5 })).lines,
    ).toHaveLength(1);
  });

  it('is complete when the exit of the service is reported', async () => {
    const { open, spec } = await fixture();
    const runtime = open();
    await runtime.prepare(await spec());
    await runtime.start('lobby-1');
    const seen: string[] = [];
    let ended = 0;
    await runtime.followLog('lobby-1', 100, (lines, isEnd) => {
      seen.push(...lines.map(({ text }) => text));
      if (isEnd) ended += 1;
    });
    await runtime.command('lobby-1', 'flood 1');
    await runtime.command('lobby-1', 'exit 4');
    await waitFor(async () => (await runtime.observe())[0]?.state === 'ended');
    expect(await runtime.tailLog('lobby-1', 1)).toEqual(['flooded']);
    await waitFor(() => ended === 1);
    expect(seen.at(-1)).toBe('flooded');
  });
});

describe('a node with a fault', () => {
  it('reports the exits of its services after a reboot, and can start the services again', async () => {
    const { open, spec, node, shell } = await fixture();
    const runtime = open();
    await runtime.prepare(await spec());
    await runtime.start('lobby-1');
    await runtime.prepare(await spec({ id: 'lobby-2' }));
    await runtime.start('lobby-2');
    await sees(runtime, /probe ready/, 'lobby-2');
    await runtime.command('lobby-1', 'exit 6');
    await waitFor(async () => (await runtime.observe()).some(({ state }) => state === 'ended'));
    await node.crash();
    await waitFor(() => !shell.connected, { timeoutMs: 60_000 });
    await expect(runtime.observe()).rejects.toMatchObject({ code: 'NODE_UNREACHABLE' });
    await node.start();
    await waitFor(() => shell.connected, { timeoutMs: 60_000 });
    const seen = await runtime.observe();
    expect(Object.fromEntries(seen.map(({ spec: { id }, state, exit }) => [id, { state, exit }]))).toEqual({
      'lobby-1': { state: 'ended', exit: { code: 6, signal: null } },
      'lobby-2': { state: 'ended', exit: { code: null, signal: null, why: 'node-restarted' } },
    });
    expect((await node.run('pgrep -G overworld,overworld-game')).stdout).toBe('');
    await runtime.prepare(await spec());
    expect(await runtime.start('lobby-1')).toMatchObject({ state: 'alive' });
  });

  it('reports the correct start time of a service, although the clock of the node is wrong', async () => {
    const { open, spec, node } = await fixture();
    const runtime = open();
    await runtime.prepare(await spec());
    node.setClockOff(-86_400);
    const before = Date.now();
    const { startedAt } = await runtime.start('lobby-1');
    node.setClockOff(0);
    expect(startedAt).toBeGreaterThan(before - 1000);
    expect(startedAt).toBeLessThan(Date.now() + 1000);
  });

  it('kills only the service that exceeds its memory limit', async () => {
    const { open, spec, template, templates } = await fixture();
    const runtime = open();
    const modest = await spec({ id: 'lobby-2' });
    await mkdir(join(template, 'jre/bin'), { recursive: true });
    // Replaces the JVM, because the probe server cannot exceed its heap. The limit is 64 MB + 375 MB.
    const hog = `python3 -c 'taken = b"x" * (600 << 20)'`;
    await writeFile(join(template, 'jre/bin/java'), `#!/bin/sh\necho hungry\nread line\nexec ${hog}\n`);
    const { revision } = await settled(templates, modest.revision);
    await runtime.prepare(modest);
    await runtime.start('lobby-2');
    await runtime.prepare(await spec({ id: 'lobby-32', revision: revision ?? '' }));
    await runtime.start('lobby-32');
    await sees(runtime, /^hungry$/, 'lobby-32');
    await runtime.command('lobby-32', 'eat');
    const ended = await waitFor(
      async () =>
        (await runtime.observe()).find(({ spec: { id }, state }) => id === 'lobby-32' && state === 'ended'),
      { timeoutMs: 60_000 },
    );
    expect(ended.exit).toEqual({ code: null, signal: 'SIGKILL', why: 'out-of-memory' });
    expect((await runtime.observe()).find(({ spec: { id } }) => id === 'lobby-2')?.state).toBe('alive');
  });

  it("gets the master's tool again after the tool was deleted", async () => {
    const { open, spec, node } = await fixture();
    const runtime = open();
    await node.must('rm -r /usr/local/lib/overworld/*/');
    await runtime.prepare(await spec());
    expect(await runtime.start('lobby-1')).toMatchObject({ state: 'alive' });
  });
});

describe('a service on a node', () => {
  it('cannot read files of other services or of Overworld', async () => {
    const { open, spec, node } = await fixture();
    const runtime = open();
    await runtime.prepare(await spec());
    const { pid, port } = await runtime.start('lobby-1');
    await runtime.prepare(await spec({ id: 'lobby-2' }));
    await runtime.start('lobby-2');
    // Runs commands with the rights of the service: as its user, in its mount namespace, without capabilities.
    const inside = `nsenter -t ${pid ?? 0} -m setpriv --reuid overworld-${port} --regid overworld --clear-groups sh -c`;
    const sees = async (command: string): Promise<string> => {
      const { stdout, stderr } = await node.run(`${inside} '${command}'`);
      return `${stdout}${stderr}`;
    };
    expect(await sees('ls /var/lib/overworld/services')).toBe('lobby-1\n');
    expect(await sees('cd /var/lib/overworld/services/lobby-1 && touch mine && ls mine')).toBe('mine\n');
    for (const place of ['/var/lib/overworld/notes', '/var/lib/overworld/cache', '/run/overworld', '/root'])
      expect(await sees(`ls ${place}`)).toMatch(/Permission denied|No such file/);
    expect(await sees('touch /etc/x /usr/x /var/lib/overworld/services/x')).toMatch(
      /Read-only|Permission denied/,
    );
    const status = await node.must(`cat /proc/${pid ?? 0}/status`);
    expect(status).toMatch(/^NoNewPrivs:\s1$/m);
    expect(status).toMatch(/^CapBnd:\s0{16}$/m);
    expect(status).toMatch(/^Seccomp:\s2$/m);
    const exposure = await node.must('systemd-analyze security --no-pager overworld@lobby-1 | tail -1');
    expect(Number(/: ([\d.]+) /.exec(exposure)?.[1])).toBeLessThanOrEqual(2);
  });
});
