import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import type { ProcessRuntime } from '#master/runtime/process/process-runtime.ts';
import { TERM_TO_KILL_MS } from '#master/runtime/process/stop-jobs.ts';
import { hasCode } from '#shared/errors/overworld-error.ts';
import { buildProbeServer } from '#test/support/java/probe-server.ts';
import { isRunning } from '#test/support/is-running.ts';
import { runtimeFixture, type RuntimeFixture } from '#test/support/master/runtime-fixture.ts';
import { serviceSpec } from '#test/support/master/service-spec.ts';
import { waitFor } from '#test/support/wait-for.ts';

let probe: ReturnType<typeof buildProbeServer>;
beforeAll(() => {
  probe = buildProbeServer();
});
afterAll(() => probe.remove());

const fixture = (): Promise<RuntimeFixture> => runtimeFixture(probe.jar);

/** Waits for a matching line in a service's log, and returns this line. */
function sees(runtime: ProcessRuntime, pattern: RegExp, id = 'lobby-1'): Promise<string> {
  return waitFor(async () => (await runtime.tailLog(id, 200)).find((line) => pattern.test(line)), {
    what: String(pattern),
  });
}

async function started(runtime: ProcessRuntime, spec = serviceSpec()) {
  await runtime.prepare(spec);
  const process = await runtime.start(spec.id);
  await sees(runtime, /probe ready/, spec.id);
  return process;
}

describe('the runtime that starts services as processes', () => {
  it('starts a service, sends commands to its console, and stops it with the stop command of the server', async () => {
    const { open, services } = await fixture();
    const runtime = open();
    const exits: string[] = [];
    runtime.onExit((id) => exits.push(id));
    const spec = serviceSpec();
    const process = await started(runtime, spec);
    expect(process).toMatchObject({ spec, host: '127.0.0.1', state: 'alive', exit: null });
    expect(await runtime.observe()).toEqual([{ ...process, pid: expect.any(Number) as number }]);
    expect(await readFile(join(services, 'lobby-1/files/server.properties'), 'utf8')).toBe(
      `motd=Hello\nserver-port=${process.port}\nmax-players=20\n`,
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
    expect(await runtime.stop('lobby-1', { graceMs: 0 })).toEqual({ code: 0, signal: null });
    await runtime.forget('lobby-1');
    expect(await runtime.observe()).toEqual([]);
    expect(await readdir(services)).toEqual([]);
    expect(await runtime.tailLog('lobby-1', 1)).toEqual(['got stop']);
    expect(await runtime.stop('lobby-1', { graceMs: 0 })).toBeNull();
  });

  it('starts the server with memory limits, "nogui" and a clean environment', async () => {
    const { open } = await fixture();
    const runtime = open();
    process.env['OVERWORLD_TEST_SECRET'] = 'secret';
    onTestFinished(() => {
      delete process.env['OVERWORLD_TEST_SECRET'];
    });
    await started(runtime);
    await started(runtime, serviceSpec({ id: 'proxy-1', template: 'proxy', isProxy: true }));
    expect(await sees(runtime, /probe ready/)).toBe('probe ready nogui');
    expect(await sees(runtime, /probe ready/, 'proxy-1')).toBe('probe ready ');
    await runtime.command('lobby-1', 'environment');
    const environment = await sees(runtime, /^environment/);
    expect(environment).toContain('OVERWORLD_SERVICE=lobby-1');
    expect(environment).toContain('OVERWORLD_TEMPLATE=lobby');
    expect(environment).not.toContain('secret');
    expect(environment).not.toContain('VITEST');
    await runtime.command('lobby-1', 'arguments');
    const bytes = Number((await sees(runtime, /^memory/)).split(' ')[1]);
    expect(bytes).toBeGreaterThan(50 * 1_048_576);
    expect(bytes).toBeLessThanOrEqual(64 * 1_048_576);
    await runtime.stop('proxy-1', { graceMs: 10_000 });
    const words = (await runtime.tailLog('proxy-1', 5)).filter((line) => line.startsWith('got '));
    expect(words[0]).toBe('got end');
  });

  it('starts one process even if several callers start the same service', async () => {
    const { open } = await fixture();
    const [one, other] = [open(), open()];
    await one.prepare(serviceSpec());
    const processes = await Promise.all([one.start('lobby-1'), one.start('lobby-1'), other.start('lobby-1')]);
    await sees(one, /probe ready/);
    expect(new Set(processes.map(({ startedAt }) => startedAt)).size).toBe(1);
    const again = await other.start('lobby-1');
    expect(again).toEqual((await one.observe())[0]);
    expect((await one.tailLog('lobby-1', 10)).filter((line) => line.startsWith('probe ready'))).toHaveLength(
      1,
    );
    await expect(other.prepare(serviceSpec())).rejects.toThrow(/a process of it still runs/);
    expect(isRunning(again.pid ?? 0)).toBe(true);
  });

  it('reports the exit of a service, and starts the service again only after a new preparation', async () => {
    const { open } = await fixture();
    const runtime = open();
    const exited = new Promise((resolve) => runtime.onExit(resolve));
    await started(runtime);
    await runtime.command('lobby-1', 'exit 3');
    expect(await exited).toBe('lobby-1');
    expect(await runtime.observe()).toMatchObject([{ state: 'ended', exit: { code: 3, signal: null } }]);
    await expect(runtime.start('lobby-1')).rejects.toThrow(/must be prepared again/);
    await expect(runtime.command('lobby-1', 'say hi')).rejects.toMatchObject({ code: 'SERVICE_NOT_FOUND' });
    await started(runtime);
    // The log still contains lines of the first process, so only a new answer proves that the second process is
    // running.
    await runtime.command('lobby-1', 'say up again');
    await sees(runtime, /up again/);
    process.kill((await runtime.observe())[0]?.pid ?? 0, 'SIGTERM');
    await waitFor(async () => (await runtime.observe())[0]?.state === 'ended');
    expect((await runtime.observe())[0]?.exit).toEqual({ code: null, signal: 'SIGTERM' });
  });

  it('stops a server that ignores commands, first with SIGTERM and then with SIGKILL', async () => {
    expect(TERM_TO_KILL_MS).toBe(5_000);
    const { open } = await fixture();
    const runtime = open({ termToKillMs: 1_000 });
    await started(runtime);
    await runtime.command('lobby-1', 'deaf');
    await sees(runtime, /deaf now/);
    const before = performance.now();
    expect(await runtime.stop('lobby-1', { graceMs: 300 })).toEqual({ code: null, signal: 'SIGKILL' });
    const tookMs = performance.now() - before;
    // The stop takes at least the grace period plus the time between SIGTERM and SIGKILL.
    expect(tookMs).toBeGreaterThan(1_300);
    expect(await runtime.tailLog('lobby-1', 1)).toEqual(['ignored TERM']);
    expect(await runtime.observe()).toMatchObject([
      { state: 'ended', exit: { code: null, signal: 'SIGKILL' } },
    ]);
  });

  it('can stop a service directly after its start', async () => {
    const { open } = await fixture();
    const runtime = open();
    await runtime.prepare(serviceSpec());
    await runtime.start('lobby-1');
    expect(await runtime.stop('lobby-1', { graceMs: 30_000 })).toEqual({ code: 0, signal: null });
    expect(await runtime.tailLog('lobby-1', 1)).toEqual(['got stop']);
  });

  it('reports a server that does not read its console, and kills a frozen server', async () => {
    const { open } = await fixture();
    const runtime = open({ termToKillMs: 200 });
    const { pid } = await started(runtime);
    const server = (await runtime.observe())[0]?.pid ?? pid ?? 0;
    process.kill(server, 'SIGSTOP');
    let blocked: unknown = null;
    for (let n = 0; n < 100 && blocked === null; n++) {
      blocked = await runtime.command('lobby-1', `say ${'x'.repeat(990)}`).catch((error: unknown) => error);
      blocked ??= null;
    }
    expect(hasCode(blocked, 'CONSOLE_BLOCKED')).toBe(true);
    expect(await runtime.stop('lobby-1', { graceMs: 200 })).toEqual({ code: null, signal: 'SIGKILL' });
    expect(isRunning(server)).toBe(false);
  });

  it('combines several stops of a service into one stop, and a kill ends the grace period early', async () => {
    const { open } = await fixture();
    const runtime = open();
    const { pid } = await started(runtime);
    await runtime.command('lobby-1', 'deaf');
    await sees(runtime, /deaf now/);
    const before = performance.now();
    const patient = runtime.stop('lobby-1', { graceMs: 60_000 });
    const exits = await Promise.all([
      patient,
      runtime.stop('lobby-1', { graceMs: 60_000 }),
      runtime.stop('lobby-1', { graceMs: 0 }),
    ]);
    // A kill does not wait for the 60 s that the first call allowed.
    expect(performance.now() - before).toBeLessThan(30_000);
    expect(exits).toEqual(Array(3).fill({ code: null, signal: 'SIGKILL' }));
    expect(isRunning(pid ?? 0)).toBe(false);
  });

  it.each(['spawn', 'daemon'])('also kills child processes of a stopped server (%s)', async (how) => {
    const { open } = await fixture();
    const runtime = open();
    await started(runtime);
    await runtime.command('lobby-1', how);
    const helper = Number((await sees(runtime, /^helper/)).split(' ')[1]);
    expect(isRunning(helper)).toBe(true);
    await runtime.stop('lobby-1', { graceMs: 10_000 });
    expect(isRunning(helper)).toBe(false);
  });

  it('kills child processes of a server that has exited', async () => {
    const { open } = await fixture();
    const runtime = open();
    await started(runtime);
    await runtime.command('lobby-1', 'daemon');
    const helper = Number((await sees(runtime, /^helper/)).split(' ')[1]);
    await runtime.command('lobby-1', 'exit 1');
    await waitFor(async () => (await runtime.observe())[0]?.state === 'ended');
    expect(isRunning(helper)).toBe(false);
    expect((await runtime.observe())[0]?.exit).toEqual({ code: 1, signal: null });
  });

  it('does not mistake another process with the same process id for the service', async () => {
    const { open, services } = await fixture();
    const runtime = open();
    await started(runtime);
    await runtime.stop('lobby-1', { graceMs: 0 });
    await rm(join(services, 'lobby-1/run/exit'));
    await writeFile(join(services, 'lobby-1/run/pid'), `${process.pid}\n`);
    expect(await open().observe()).toMatchObject([
      { state: 'ended', pid: null, exit: { code: null, signal: null } },
    ]);
    await runtime.stop('lobby-1', { graceMs: 0 });
    await runtime.forget('lobby-1');
    expect(await readdir(services)).toEqual([]);
  });

  it('kills processes whose service folder was removed, but no processes of other masters', async () => {
    const here = await fixture();
    const there = await fixture();
    const [runtime, other] = [here.open(), there.open()];
    const mine = await started(runtime);
    const theirs = await started(other);
    await rm(join(here.services, 'lobby-1'), { recursive: true });
    expect(await runtime.observe()).toEqual([]);
    await waitFor(() => !isRunning(mine.pid ?? 0));
    expect(isRunning(theirs.pid ?? 0)).toBe(true);
  });

  it('removes services at startup that were prepared but never started', async () => {
    const { open, services } = await fixture();
    const runtime = open();
    await runtime.prepare(serviceSpec());
    expect(await runtime.observe()).toEqual([]);
    await mkdir(join(services, 'lobby-2/files'), { recursive: true });
    const running = await started(runtime, serviceSpec({ id: 'lobby-3' }));
    expect((await open().observe()).map(({ spec, pid }) => [spec.id, pid])).toEqual([
      ['lobby-3', running.pid],
    ]);
    expect(await readdir(services)).toEqual(['lobby-3']);
  });

  it('refuses a service that cannot be prepared, and leaves no folder behind', async () => {
    const { open, services, template } = await fixture();
    const runtime = open();
    const missing = serviceSpec({ defaultServiceFiles: [{ path: 'gone.jar', destination: 'x' }] });
    const noFile = await runtime.prepare(missing).catch((error: unknown) => error);
    expect(hasCode(noFile, 'TEMPLATE_UNREADABLE') && noFile.message).toMatch(/gone\.jar/);
    await rm(join(template, 'server.jar'));
    const noJar = await runtime.prepare(serviceSpec()).catch((error: unknown) => error);
    expect(hasCode(noJar, 'SERVER_JAR_MISSING')).toBe(true);
    expect(await readdir(services)).toEqual([]);
    await expect(runtime.start('lobby-1')).rejects.toThrow(/was not prepared/);
  });

  it('names the searched Java paths if no Java was found', async () => {
    const { open, services } = await fixture();
    const { PATH, JAVA_HOME } = process.env;
    onTestFinished(() => {
      process.env['PATH'] = PATH;
      if (JAVA_HOME !== undefined) process.env['JAVA_HOME'] = JAVA_HOME;
    });
    const runtime = open({ java: '/nowhere/java', javaFolders: [] });
    expect(await runtime.javaVersion()).toMatch(/^\d+/);
    process.env['PATH'] = '/nowhere';
    delete process.env['JAVA_HOME'];
    expect(await runtime.javaVersion()).toBeNull();
    expect(await runtime.hasJava()).toBe(false);
    const error = await runtime.prepare(serviceSpec()).catch((thrown: unknown) => thrown);
    expect(hasCode(error, 'JAVA_MISSING') && error.details.looked).toContain('/nowhere/java');
    expect(await readdir(services)).toEqual([]);
  });

  it('uses no port that is reserved for something else', async () => {
    const { open } = await fixture();
    const from = 29_000 + (process.pid % 1000);
    const claimed = new Set([from]);
    const runtime = open({ ports: { from, to: from + 1 }, leaveFree: () => Promise.resolve(claimed) });
    const portOf = async (id: string): Promise<number> => {
      await runtime.prepare(serviceSpec({ id }));
      const { port } = await runtime.start(id);
      await runtime.stop(id, { graceMs: 0 });
      return port;
    };
    expect(await portOf('lobby-1')).toBe(from + 1);
    claimed.clear();
    expect(await portOf('lobby-2')).toBe(from);
  });

  it('gives each service its own port, which is free for TCP and UDP', async () => {
    const { open } = await fixture();
    const from = 28_000 + (process.pid % 1000);
    const runtime = open({ ports: { from, to: from + 4 } });
    const tcp = createServer().listen(from, '127.0.0.1');
    const udp = createSocket('udp4').bind(from + 1, '127.0.0.1');
    onTestFinished(() => {
      tcp.close();
      udp.close();
    });
    await Promise.all([once(tcp, 'listening'), once(udp, 'listening')]);
    const specs = [1, 2, 3].map((n) => serviceSpec({ id: `lobby-${n}` }));
    await Promise.all(specs.map((spec) => runtime.prepare(spec)));
    const processes = await Promise.all(specs.map(({ id }) => runtime.start(id)));
    expect(processes.map(({ port }) => port).sort()).toEqual([from + 2, from + 3, from + 4]);
    const none = await runtime.prepare(serviceSpec({ id: 'lobby-4' })).catch((error: unknown) => error);
    expect(hasCode(none, 'PORT_NONE_FREE')).toBe(true);
    await runtime.stop('lobby-2', { graceMs: 0 });
    await runtime.prepare(serviceSpec({ id: 'lobby-4' }));
    expect((await runtime.start('lobby-4')).port).toBe(processes[1]?.port);
  });

  it('leaves no folders and no open files behind', async () => {
    const { open, services } = await fixture();
    const runtime = open();
    const cycle = async (n: number): Promise<void> => {
      await runtime.prepare(serviceSpec({ id: `lobby-${n}` }));
      await runtime.forget(`lobby-${n}`);
    };
    for (let n = 1; n <= 20; n++) await cycle(n);
    const before = (await readdir('/proc/self/fd')).length;
    for (let n = 21; n <= 200; n++) await cycle(n);
    expect((await readdir('/proc/self/fd')).length).toBeLessThanOrEqual(before + 2);
    expect(await readdir(services)).toEqual([]);
    await runtime.prepare(serviceSpec({ id: 'lobby-201' }));
    expect((await stat(join(services, 'lobby-201'))).mode & 0o777).toBe(0o700);
  });
});
