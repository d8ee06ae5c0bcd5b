import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hasCode } from '#shared/errors/overworld-error.ts';
import { LogStore } from '#master/runtime/log/log-store.ts';
import type { ServiceSpec } from '#master/runtime/runtime.ts';
import type { SystemdRuntime } from '#master/runtime/systemd/systemd-runtime.ts';
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
  keyed = await bootKeyed(lab);
});
afterAll(() => probe.remove());

const fixture = (): Promise<NodeStage> => nodeStage(keyed, probe.jar);

async function started(runtime: SystemdRuntime, spec: ServiceSpec) {
  await runtime.prepare(spec);
  const process = await runtime.start(spec.id);
  await sees(runtime, /probe ready/, spec.id);
  return process;
}

/** Returns the process ids of the services on the node, without using the code under test. */
async function servicePids(): Promise<number[]> {
  const { stdout } = await keyed.node.run('pgrep -G overworld,overworld-game');
  return stdout.split('\n').filter(Boolean).map(Number);
}

/** Occupies a port on the node. */
async function hold(port: number, family: string, kind: string): Promise<void> {
  const lines = [
    'import socket, time',
    `taken = socket.socket(socket.${family}, socket.${kind})`,
    `taken.bind(("${family === 'AF_INET' ? '127.0.0.1' : '::1'}", ${port}))`,
    ...(kind === 'SOCK_STREAM' ? ['taken.listen()'] : []),
    'time.sleep(600)',
  ];
  await keyed.node.must(`systemd-run -q --unit=port-${port} python3 -c '${lines.join('\n')}'`);
  const filter = `ss -lnH 'sport = :${port}' | grep -q .`;
  await waitFor(async () => (await keyed.node.run(filter)).code === 0, { what: `port ${port} to be taken` });
}

describe('the services that systemd runs on a node', () => {
  it('can be started, controlled by their console, stopped with their stop command, and removed', async () => {
    const { open, spec: specOf, node } = await fixture();
    const runtime = open();
    const exits: string[] = [];
    runtime.onExit((id) => exits.push(id));
    const spec = await specOf();
    const process = await started(runtime, spec);
    expect(process).toMatchObject({ spec, host: node.address, state: 'alive', exit: null });
    expect(Math.abs(process.startedAt - Date.now())).toBeLessThan(60_000);
    expect(await runtime.observe()).toEqual([process]);
    expect(await servicePids()).toEqual([process.pid]);
    expect(await node.must('cat /var/lib/overworld/services/lobby-1/server.properties')).toBe(
      `motd=Hello\nserver-port=${process.port}\nmax-players=20`,
    );
    await runtime.command('lobby-1', 'say Grüße');
    await sees(runtime, /^Grüße$/);
    expect(await runtime.stop('lobby-1', { graceMs: 10_000 })).toEqual({ code: 0, signal: null });
    expect(await runtime.tailLog('lobby-1', 2)).toEqual(['Grüße', 'got stop']);
    expect(await runtime.observe()).toMatchObject([
      { state: 'ended', pid: null, exit: { code: 0, signal: null } },
    ]);
    await waitFor(() => exits.length > 0);
    expect(exits).toEqual(['lobby-1']);
    await expect(runtime.start('lobby-1')).rejects.toThrow(/must be prepared again/);
    expect(await runtime.stop('lobby-1', { graceMs: 0 })).toEqual({ code: 0, signal: null });
    await runtime.forget('lobby-1');
    expect(await runtime.observe()).toEqual([]);
    expect(
      await node.must('cd /var/lib/overworld; ls services notes /run/overworld/console /run/overworld/locks'),
    ).not.toContain('lobby-1');
    expect(await node.must('ls /run/systemd/system | grep -c overworld@ || true')).toBe('0');
    expect(await runtime.tailLog('lobby-1', 1)).toEqual(['got stop']);
    expect(await runtime.stop('lobby-1', { graceMs: 0 })).toBeNull();
  });

  it('have files that the master can list and read, and crash reports that are kept after a removal', async () => {
    const { open, spec: specOf, node, logs } = await fixture();
    const runtime = open();
    await started(runtime, await specOf());
    const folder = '/var/lib/overworld/services/lobby-1';
    const owner = await node.must(`stat -c %U:%G ${folder}`);
    await node.must(
      `cd ${folder} && mkdir crash-reports logs && printf 'Ticking entity' > crash-reports/crash-1-server.txt && ` +
        `head -c 700000 /dev/zero | tr '\\0' x > logs/latest.log && printf end >> logs/latest.log && ` +
        `ln -s /etc/shadow logs/evil.log && ln -s /var/lib/overworld/notes logs/notes && ` +
        `cp /etc/shadow root-only && chmod 600 root-only && chown -R ${owner} crash-reports logs`,
    );
    const { entries, more } = await runtime.listFiles('lobby-1', 'logs', null);
    expect(entries.map(({ name, kind }) => `${name} ${kind}`)).toEqual([
      'evil.log other',
      'latest.log file',
      'notes other',
    ]);
    expect(more).toBe(false);
    expect(await runtime.describeFile('lobby-1', 'logs/latest.log')).toEqual(entries[1]);
    expect((await runtime.describeFile('lobby-1', 'logs')).kind).toBe('folder');
    expect((await runtime.describeFile('lobby-1', 'logs/notes')).kind).toBe('other');
    for (const [path, code] of [
      ['logs/none', 'FILE_NOT_FOUND'],
      ['logs/notes/lobby-1', 'FILE_FORBIDDEN'],
    ] as const) {
      const refused = await runtime.describeFile('lobby-1', path).catch((error: unknown) => error);
      expect(hasCode(refused, code), path).toBe(true);
    }
    const piece = await runtime.readFile('lobby-1', 'logs/latest.log', { from: 700_000, length: 100 });
    expect({ ...piece, content: piece.content.toString() }).toMatchObject({ content: 'end', bytes: 700_003 });
    // The tool reads with the rights of the service, not with those of root.
    for (const path of ['logs/evil.log', 'logs/notes/lobby-1/service.json', 'root-only']) {
      const refused = await runtime
        .readFile('lobby-1', path, { from: 0, length: 10 })
        .catch((error: unknown) => error);
      expect(hasCode(refused, 'FILE_FORBIDDEN'), path).toBe(true);
    }
    await runtime.stop('lobby-1', { graceMs: 10_000 });
    await runtime.forget('lobby-1');
    expect((await node.run(`test -e ${folder}`)).code).toBe(1);
    const kept = new LogStore(logs).kept;
    const [run] = await kept.list('lobby-1');
    expect(run?.files.map(({ path, bytes, whole }) => ({ path, bytes, whole }))).toEqual([
      { path: 'crash-reports/crash-1-server.txt', bytes: 14, whole: true },
      { path: 'logs/latest.log', bytes: 524_288, whole: false },
    ]);
    expect((await kept.read('lobby-1', run?.endedAt ?? 0, 'logs/latest.log')).text).toMatch(/^x+end$/);
  });

  it('log the output of child processes, even if these exit at once', async () => {
    const { open, spec: specOf } = await fixture();
    const runtime = open();
    await started(runtime, await specOf());
    const words = Array.from({ length: 20 }, (_, i) => `word ${i}`);
    for (const word of words) await runtime.command('lobby-1', `whisper ${word}`);
    for (const word of words) expect(await sees(runtime, new RegExp(`^${word}$`))).toBe(word);
    await runtime.stop('lobby-1', { graceMs: 10_000 });
  });

  it('have memory limits, a clean environment and the argument nogui; proxies lack nogui and stop with the command "end"', async () => {
    const { open, spec, node } = await fixture();
    const runtime = open();
    await started(runtime, await spec());
    await started(runtime, await spec({ id: 'lobby-33', isProxy: true }));
    expect(await sees(runtime, /probe ready/)).toBe('probe ready nogui');
    expect(await sees(runtime, /probe ready/, 'lobby-33')).toBe('probe ready');
    await runtime.command('lobby-1', 'environment');
    const environment = await sees(runtime, /^environment/);
    expect(environment).toContain('OVERWORLD_SERVICE=lobby-1');
    expect(environment).toContain('OVERWORLD_TEMPLATE=lobby');
    expect(environment).toContain('HOME=/var/lib/overworld/services/lobby-1');
    expect(environment).not.toContain('SSH_');
    await runtime.command('lobby-1', 'arguments');
    const bytes = Number((await sees(runtime, /^memory/)).split(' ')[1]);
    expect(bytes).toBeLessThanOrEqual(64 * 1_048_576);
    // docs/specification.md#jvm-memory: 64 MB of heap plus 375 MB.
    expect(await node.must('systemctl show -p MemoryMax --value overworld@lobby-1')).toBe(
      String((64 + 375) * 1_048_576),
    );
    await runtime.stop('lobby-33', { graceMs: 10_000 });
    const words = (await runtime.tailLog('lobby-33', 5)).filter((line) => line.startsWith('got '));
    expect(words[0]).toBe('got end');
  });

  it('run as one process each, even if several masters start the same service', async () => {
    const { open, spec } = await fixture();
    const [one, other] = [open(), open({ logs: 'other' })];
    await one.prepare(await spec());
    const processes = await Promise.all([one.start('lobby-1'), one.start('lobby-1'), other.start('lobby-1')]);
    expect(new Set(processes.map(({ pid }) => pid)).size).toBe(1);
    expect(await servicePids()).toHaveLength(1);
    await expect(other.prepare(await spec())).rejects.toThrow(/still runs/);
    await keyed.node.run('systemctl start overworld@lobby-1');
    expect(await servicePids()).toHaveLength(1);
  });

  it('report exit codes and signals, and can be prepared again', async () => {
    const { open, spec } = await fixture();
    const runtime = open();
    const exited = new Promise((resolve) => runtime.onExit(resolve));
    await started(runtime, await spec());
    await runtime.command('lobby-1', 'exit 3');
    expect(await exited).toBe('lobby-1');
    await waitFor(async () => (await runtime.observe())[0]?.state === 'ended');
    expect((await runtime.observe())[0]?.exit).toEqual({ code: 3, signal: null });
    await expect(runtime.command('lobby-1', 'say hi')).rejects.toMatchObject({ code: 'SERVICE_NOT_FOUND' });
    const again = await started(runtime, await spec());
    await keyed.node.must(`kill -KILL ${again.pid ?? 0}`);
    await waitFor(async () => (await runtime.observe())[0]?.state === 'ended');
    expect((await runtime.observe())[0]?.exit).toEqual({ code: null, signal: 'SIGKILL' });
    const last = await started(runtime, await spec());
    await keyed.node.must(`kill -TERM ${last.pid ?? 0}`);
    await waitFor(async () => (await runtime.observe())[0]?.state === 'ended');
    expect((await runtime.observe())[0]?.exit).toEqual({ code: null, signal: 'SIGTERM' });
  });

  it('cannot be started by "systemctl start" after a stop, even if a console line was not read', async () => {
    const { open, spec, node } = await fixture();
    const runtime = open();
    const { pid } = await started(runtime, await spec());
    await node.must(`kill -STOP ${pid ?? 0}`);
    await runtime.command('lobby-1', 'say never read');
    expect(await runtime.stop('lobby-1', { graceMs: 0 })).toEqual({ code: null, signal: 'SIGKILL' });
    expect((await node.run('systemctl start overworld@lobby-1')).code).not.toBe(0);
    expect(await servicePids()).toEqual([]);
    expect(await runtime.observe()).toMatchObject([{ state: 'ended', exit: { signal: 'SIGKILL' } }]);
  });

  it('get SIGTERM and then SIGKILL if they ignore the stop command, and a kill ends the grace period', async () => {
    const { open, spec } = await fixture();
    const runtime = open();
    await started(runtime, await spec());
    await runtime.command('lobby-1', 'deaf');
    await sees(runtime, /deaf now/);
    const before = performance.now();
    expect(await runtime.stop('lobby-1', { graceMs: 300 })).toEqual({ code: null, signal: 'SIGKILL' });
    expect(performance.now() - before).toBeGreaterThan(5000);
    expect(await runtime.tailLog('lobby-1', 1)).toEqual(['ignored TERM']);
    await started(runtime, await spec());
    await runtime.command('lobby-1', 'deaf');
    await waitFor(async () => (await runtime.tailLog('lobby-1', 1))[0] === 'deaf now');
    const patient = runtime.stop('lobby-1', { graceMs: 60_000 });
    const exits = await Promise.all([patient, runtime.stop('lobby-1', { graceMs: 0 })]);
    expect(exits).toEqual(Array(2).fill({ code: null, signal: 'SIGKILL' }));
    expect(await servicePids()).toEqual([]);
  });

  it('cause the error CONSOLE_BLOCKED for a command if they do not read their console', async () => {
    const { open, spec, node } = await fixture();
    const runtime = open();
    const { pid } = await started(runtime, await spec());
    await node.must(`kill -STOP ${pid ?? 0}`);
    let blocked: unknown = null;
    for (let n = 0; n < 100 && blocked === null; n++) {
      blocked = await runtime.command('lobby-1', `say ${'x'.repeat(990)}`).then(
        () => null,
        (error: unknown) => error,
      );
    }
    expect(hasCode(blocked, 'CONSOLE_BLOCKED')).toBe(true);
    expect(await runtime.stop('lobby-1', { graceMs: 200 })).toEqual({ code: null, signal: 'SIGKILL' });
  });

  it.each(['stop', 'exit 1'])('leave no child processes behind when they exit (%s)', async (how) => {
    const { open, spec } = await fixture();
    const runtime = open();
    await started(runtime, await spec());
    await runtime.command('lobby-1', 'spawn');
    await runtime.command('lobby-1', 'daemon');
    await waitFor(async () => (await servicePids()).length === 3);
    if (how === 'stop') await runtime.stop('lobby-1', { graceMs: 10_000 });
    else await runtime.command('lobby-1', how);
    await waitFor(async () => (await runtime.observe())[0]?.state === 'ended');
    expect(await servicePids()).toEqual([]);
  });

  it('are killed if their record is missing, unless they belong to another network', async () => {
    const { open, spec, node } = await fixture();
    const runtime = open();
    const theirs = open({ cluster: 'other', logs: 'other' });
    await started(runtime, await spec());
    await started(theirs, await spec({ id: 'lobby-2' }));
    await started(runtime, await spec({ id: 'lobby-3' }));
    const record = '/var/lib/overworld/notes/lobby-3/service.json';
    await node.must(`cp ${record} /tmp/record; echo '{"from": "a newer master"}' > ${record}`);
    await node.must('rm -r /var/lib/overworld/notes/lobby-1');
    expect(await runtime.observe()).toEqual([]);
    await waitFor(async () => (await servicePids()).length === 2);
    await node.must(`cp /tmp/record ${record}`);
    expect(await runtime.observe()).toMatchObject([{ spec: { id: 'lobby-3' }, state: 'alive' }]);
    expect(await theirs.observe()).toMatchObject([{ spec: { id: 'lobby-2' }, state: 'alive' }]);
    await theirs.stop('lobby-2', { graceMs: 0 });
    await theirs.forget('lobby-2');
  });

  it('are removed by the next master if they were prepared but never started', async () => {
    const { open, spec, node } = await fixture();
    const runtime = open();
    await runtime.prepare(await spec());
    expect(await runtime.observe()).toEqual([]);
    await node.must('mkdir /var/lib/overworld/services/lobby-2');
    const running = await started(runtime, await spec({ id: 'lobby-3' }));
    expect(await open({ logs: 'next' }).observe()).toMatchObject([
      { spec: { id: 'lobby-3' }, pid: running.pid },
    ]);
    expect(await node.must('ls /var/lib/overworld/services /var/lib/overworld/notes')).toBe(
      '/var/lib/overworld/notes:\nlobby-3\n\n/var/lib/overworld/services:\nlobby-3',
    );
  });

  it('leave no folder behind if their preparation fails', async () => {
    const { open, spec, template, templates, node } = await fixture();
    const runtime = open();
    const missing = await spec({ defaultServiceFiles: [{ path: 'gone.jar', destination: 'x' }] });
    const noFile = await runtime.prepare(missing).catch((error: unknown) => error);
    expect(hasCode(noFile, 'TEMPLATE_UNREADABLE') && noFile.message).toMatch(/gone\.jar/);
    const gone = await runtime
      .prepare(await spec({ revision: 'f'.repeat(16) }))
      .catch((error: unknown) => error);
    expect(hasCode(gone, 'TEMPLATE_UNREADABLE')).toBe(true);
    const before = (await spec()).revision;
    await rm(join(template, 'server.jar'));
    const { revision } = await settled(templates, before);
    const noJar = await runtime
      .prepare(await spec({ revision: revision ?? '' }))
      .catch((error: unknown) => error);
    expect(hasCode(noJar, 'SERVER_JAR_MISSING')).toBe(true);
    expect(await node.must('ls /var/lib/overworld/services /var/lib/overworld/notes')).not.toContain('lobby');
    await expect(runtime.start('lobby-1')).rejects.toThrow(/was not prepared/);
  });

  it('have different ports, which are free for TCP and UDP', async () => {
    const { open, spec, node } = await fixture();
    const runtime = open({ ports: { from: 25_700, to: 25_704 } });
    await hold(25_700, 'AF_INET', 'SOCK_STREAM');
    await hold(25_701, 'AF_INET6', 'SOCK_DGRAM');
    const specs = await Promise.all([1, 2, 3].map((n) => spec({ id: `lobby-${n}` })));
    await Promise.all(specs.map((one) => runtime.prepare(one)));
    const processes = await Promise.all(specs.map(({ id }) => runtime.start(id)));
    expect(processes.map(({ port }) => port).sort()).toEqual([25_702, 25_703, 25_704]);
    const none = await runtime.prepare(await spec({ id: 'lobby-4' })).catch((error: unknown) => error);
    expect(hasCode(none, 'PORT_NONE_FREE')).toBe(true);
    await runtime.stop('lobby-2', { graceMs: 0 });
    await runtime.prepare(await spec({ id: 'lobby-4' }));
    expect((await runtime.start('lobby-4')).port).toBe(processes[1]?.port);
    await node.must('systemctl stop port-25700 port-25701');
  });

  it('fail to start without Java, and the error names the searched paths', async () => {
    const { open, spec, node } = await fixture();
    const runtime = open();
    await runtime.prepare(await spec());
    await node.must('mv /usr/bin/java /usr/bin/java.away');
    const error = await runtime.start('lobby-1').catch((thrown: unknown) => thrown);
    await node.must('mv /usr/bin/java.away /usr/bin/java');
    expect(hasCode(error, 'JAVA_MISSING') && error.details.looked).toContain('/usr/bin/java');
    expect(await runtime.start('lobby-1')).toMatchObject({ state: 'alive' });
  });
});
