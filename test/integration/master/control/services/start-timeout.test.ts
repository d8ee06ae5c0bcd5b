import { copyFile, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import pino from 'pino';
import { expect, it, onTestFinished } from 'vitest';
import { withMaster } from '#master/cli/client.ts';
import { startMaster } from '#master/boot/daemon.ts';
import type { Limits } from '#master/state/context/environment.ts';
import type { Service } from '#shared/model/service.ts';
import type { ActivityEvent } from '#shared/model/event.ts';
import { practiceServerJar } from '#test/support/players/practice-server.ts';
import { temporaryFolder } from '#test/support/temporary-folder.ts';
import { waitFor } from '#test/support/wait-for.ts';

const LOBBY = { isProxy: false, minJvmMemory: 16, maxJvmMemory: 64, minimumRunningServers: 1 };

interface LobbyOptions {
  readonly limits: Partial<Limits>;
  /** Seconds. */
  readonly startTimeout: number;
}

/** Starts a master with one template whose server.properties contains these lines. */
async function aLobbyWith(
  properties: Readonly<Record<string, string>>,
  { limits, startTimeout }: LobbyOptions,
) {
  const data = temporaryFolder();
  const master = await startMaster({
    ...{ data, sshHost: '127.0.0.1', sshPort: 0, ports: { from: 26_525, to: 26_549 } },
    ...{ log: pino({ level: 'silent' }), limits },
  });
  onTestFinished(async () => {
    await withMaster(data, (last) => last.call('master.shutdown', { services: 'stop' }));
    await master.ended;
  });
  await withMaster(data, (first) =>
    first.call('templates.create', { id: 'lobby', config: { ...LOBBY, startTimeout } }),
  );
  const lines = Object.entries(properties).map(([key, value]) => `${key}=${value}\n`);
  const folder = join(data, 'templates', 'lobby');
  await writeFile(join(folder, 'server.properties'), lines.join(''));
  await copyFile(await practiceServerJar(), join(folder, 'server.jar'));
  const service = async (): Promise<Service | undefined> =>
    (await withMaster(data, (asked) => asked.call('services.list', {}))).services[0];
  const failures = async (): Promise<readonly ActivityEvent[]> => {
    const events = await withMaster(data, (asked) => asked.call('activity.list', { limit: 50 }));
    return events.filter(({ kind }) => kind === 'service.failed').reverse();
  };
  const log = (): Promise<string> => readFile(join(data, 'logs', 'lobby-1.log'), 'utf8');
  return { service, failures, log };
}

it('a service that still writes to its log may take longer than the start timeout', async () => {
  const properties = { 'practice.start-delay-ms': '15000', 'practice.start-log-ms': '300' };
  const options = { startTimeout: 2, limits: { startQuietMs: 8_000 } };
  const { service, failures } = await aLobbyWith(properties, options);
  await waitFor(async () => (await service())?.state === 'RUNNING');
  expect(await failures()).toEqual([]);
});

it('a server without status pings is RUNNING when its log says so, and never counts as unresponsive', async () => {
  const properties = { 'enable-status': 'false', 'practice.start-delay-ms': '2000' };
  const options = { startTimeout: 60, limits: { unresponsiveAfterMs: 500 } };
  const { service, failures, log } = await aLobbyWith(properties, options);
  const running = await waitFor(async () => {
    const seen = await service();
    return seen?.state === 'RUNNING' ? seen : null;
  });
  expect(await log()).toMatch(/Done \([0-9.]+s\)!/);
  // The pings during this time get no answer.
  const later = await waitFor(async () => {
    const seen = await service();
    return Date.now() - running.since > 2_000 ? seen : null;
  });
  expect(later).toMatchObject({ state: 'RUNNING', unresponsive: false, failure: null });
  expect(await failures()).toEqual([]);
});

it('a start without status pings and without a sign of success fails, and the event names the setting to change', async () => {
  const properties = { 'enable-status': 'false', 'practice.start-delay-ms': '600000' };
  const limits = { startQuietMs: 1_000, backoff: { baseMs: 50, maxMs: 100, slowMaxMs: 60_000 } };
  const { service, failures } = await aLobbyWith(properties, { startTimeout: 4, limits });
  const [first, second] = await waitFor(async () => {
    const seen = await failures();
    return seen.length >= 2 ? seen : null;
  });
  expect(first?.message).toContain('enable-status=false in its server.properties');
  expect(first?.message).not.toContain('memory');
  expect((await service())?.failure?.error.code).toBe('SERVICE_START_TIMEOUT');
  const pauses = [first, second].map((event) => Number(/retried in (\d+) s/.exec(event?.cause ?? '')?.[1]));
  expect(pauses[0]).toBeGreaterThanOrEqual(4);
  expect(pauses[1]).toBeGreaterThanOrEqual(8);
});

it('a service that never answers is stopped after the maximum start time, even if it still writes to its log', async () => {
  const properties = { 'practice.start-delay-ms': '600000', 'practice.start-log-ms': '300' };
  const options = { startTimeout: 1, limits: { startQuietMs: 1_000, startMaximumMs: 5_000 } };
  const { failures } = await aLobbyWith(properties, options);
  const [first] = await waitFor(async () => {
    const seen = await failures();
    return seen.length >= 1 ? seen : null;
  });
  expect(first?.message).toContain('did not answer a status ping within 5 s');
  expect(first?.message).toContain('the maximum start time is reached');
});
