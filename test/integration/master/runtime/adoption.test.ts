import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, readdirSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { isRunning } from '#test/support/is-running.ts';
import { buildProbeServer } from '#test/support/java/probe-server.ts';
import { runtimeFixture, type RuntimeFixture } from '#test/support/master/runtime-fixture.ts';
import { serviceSpec } from '#test/support/master/service-spec.ts';
import { waitFor } from '#test/support/wait-for.ts';

let probe: ReturnType<typeof buildProbeServer>;
beforeAll(() => {
  probe = buildProbeServer();
});
afterAll(() => probe.remove());

const program = fileURLToPath(new URL('../../../support/master/runtime-master.ts', import.meta.url));

/** Starts a master in its own process group. The master starts services with these IDs. */
function master({ cluster, folder, from }: RuntimeFixture, ...ids: string[]): ChildProcess {
  const child = spawn(process.execPath, ['--import', 'tsx', program, cluster, folder, String(from), ...ids], {
    stdio: ['ignore', 'pipe', 'inherit'],
    detached: true,
  });
  onTestFinished(() => {
    if (child.exitCode === null && child.signalCode === null) child.kill('SIGKILL');
  });
  return child;
}

async function end(child: ChildProcess, signal: 'SIGKILL' | 'SIGINT' | 'SIGTERM'): Promise<void> {
  const exited = once(child, 'exit');
  process.kill(-(child.pid ?? 0), signal);
  await exited;
}

async function saysStarted(child: ChildProcess): Promise<void> {
  if (child.stdout !== null) await once(child.stdout, 'data');
}

/** Returns the pids of this cluster's Java processes, without using the code under test. */
function javas(cluster: string): number[] {
  return readdirSync('/proc')
    .map(Number)
    .filter((pid) => {
      if (!Number.isInteger(pid) || !isRunning(pid)) return false;
      try {
        const mine = readFileSync(`/proc/${pid}/environ`, 'utf8').includes(`OVERWORLD_CLUSTER=${cluster}\0`);
        return mine && readFileSync(`/proc/${pid}/comm`, 'utf8').trim() === 'java';
      } catch {
        return false;
      }
    });
}

describe('a master whose processes are killed', () => {
  it.each(['SIGKILL', 'SIGINT', 'SIGTERM'] as const)(
    'with %s, leaves its services running, and the next master adopts these services',
    async (signal) => {
      const fixture = await runtimeFixture(probe.jar);
      const first = master(fixture, 'lobby-1', 'lobby-2');
      await saysStarted(first);
      await waitFor(() => javas(fixture.cluster).length === 2);
      await end(first, signal);

      const runtime = fixture.open();
      const adopted = await runtime.observe();
      expect(adopted.map(({ spec, state }) => [spec, state])).toEqual(
        expect.arrayContaining(['lobby-1', 'lobby-2'].map((id) => [serviceSpec({ id }), 'alive'])),
      );
      expect(adopted.map(({ pid }) => pid).sort()).toEqual(javas(fixture.cluster).sort());
      expect(await runtime.start('lobby-1')).toEqual(adopted.find(({ spec }) => spec.id === 'lobby-1'));
      await expect(runtime.prepare(serviceSpec())).rejects.toThrow(/still runs/);
      expect(javas(fixture.cluster)).toHaveLength(2);

      await runtime.command('lobby-1', 'say adopted');
      await waitFor(async () => (await runtime.tailLog('lobby-1', 1))[0] === 'adopted');
      const exited = new Promise((resolve) => runtime.onExit(resolve));
      await runtime.command('lobby-1', 'exit 9');
      expect(await exited).toBe('lobby-1');
      expect(await runtime.stop('lobby-1', { graceMs: 0 })).toEqual({ code: 9, signal: null });
      expect(await runtime.stop('lobby-2', { graceMs: 10_000 })).toEqual({ code: 0, signal: null });
      expect(javas(fixture.cluster)).toEqual([]);
    },
  );

  it('leaves a record with which the next master finds the exit code of a service', async () => {
    const fixture = await runtimeFixture(probe.jar);
    const first = master(fixture, 'lobby-1');
    await saysStarted(first);
    await end(first, 'SIGKILL');
    await writeFile(join(fixture.services, 'lobby-1/run/console'), 'exit 7\n');
    await waitFor(() => javas(fixture.cluster).length === 0);
    await waitFor(async () => (await fixture.open().observe())[0]?.state === 'ended');
    expect((await fixture.open().observe())[0]).toMatchObject({ pid: null, exit: { code: 7, signal: null } });
  });

  it('leaves no duplicate and no lost service process, even if it was killed while it started the service', async () => {
    const fixture = await runtimeFixture(probe.jar);
    for (let round = 0; round < 10; round++) {
      const first = master(fixture, 'lobby-1');
      // Start the delay when the folder appears. Before that, the master has done nothing.
      await waitFor(
        () =>
          readdirSync(fixture.folder).includes('services') &&
          (readdirSync(fixture.services).length > 0 || null),
      );
      // The delay is intended. It determines the moment at which the master is killed.
      await new Promise((resolve) => setTimeout(resolve, round * 8));
      await end(first, 'SIGKILL');
      const runtime = fixture.open();
      const seen = (await runtime.observe()).filter(({ state }) => state === 'alive');
      if (seen.length === 0) await runtime.prepare(serviceSpec());
      const { pid } = await runtime.start('lobby-1');
      await waitFor(() => javas(fixture.cluster).length === 1, { what: `one process in round ${round}` });
      expect((await runtime.observe()).map(({ state }) => state)).toEqual(['alive']);
      expect(pid).not.toBeNull();
      await runtime.stop('lobby-1', { graceMs: 0 });
      await runtime.forget('lobby-1');
      await runtime.close();
      expect(javas(fixture.cluster)).toEqual([]);
      expect(readdirSync(fixture.services)).toEqual([]);
    }
  });
});
