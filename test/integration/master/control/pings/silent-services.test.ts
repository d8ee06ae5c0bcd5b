import { once } from 'node:events';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import pino from 'pino';
import { expect, it, onTestFinished } from 'vitest';
import { Loop } from '#master/control/loop/loop.ts';
import type { ServiceRecord } from '#master/state/services/records.ts';
import { CloseStack } from '#master/boot/shutdown.ts';
import { openParts } from '#master/boot/open-parts.ts';
import type { ObservedProcess } from '#master/runtime/runtime.ts';
import { openDataFolder } from '#master/store/data-folder.ts';
import { usePracticeGame } from '#test/support/players/practice-game.ts';
import { serviceSpec } from '#test/support/master/service-spec.ts';
import { temporaryFolder } from '#test/support/temporary-folder.ts';
import { waitFor } from '#test/support/wait-for.ts';

const SILENT_SERVICES = 1_000;
/**
 * Maximum time until a change is noticed (ms): the ping interval of a service without a plugin, one round of the
 * control loop, and three seconds for a busy machine.
 */
const NOTICED_WITHIN_MS = 5_000;

/** Maximum duration of a round of the control loop (ms). If rounds waited for pings, a round would take 32 s. */
const DELAY_WITHIN_MS = 4_000;

const game = usePracticeGame();

/** Opens a port on all loopback addresses that accepts connections and never answers. */
async function aSilentPort(): Promise<number> {
  const open = new Set<Socket>();
  const server = createServer((socket) => {
    open.add(socket);
    socket.on('error', () => undefined).on('close', () => open.delete(socket));
  });
  server.listen({ host: '0.0.0.0', port: 0, backlog: 4_096 });
  await once(server, 'listening');
  onTestFinished(() => {
    for (const socket of open) socket.destroy();
    server.close();
  });
  return (server.address() as AddressInfo).port;
}

/** Creates a control loop with the components of a real master, on a machine with these processes. */
async function aLoopOver(processes: readonly ObservedProcess[]) {
  const opened = new CloseStack();
  onTestFinished(() => opened.closeAll());
  const folder = await openDataFolder(temporaryFolder());
  const options = { data: folder.root, sshHost: '127.0.0.1', sshPort: 0, log: pino({ level: 'silent' }) };
  const { parts } = await openParts(options, folder, opened);
  const runtime = { ...parts.runtimeOf('local'), observe: () => Promise.resolve([...processes]) };
  const roundsBegunAt: number[] = [];
  const refresh = parts.registry.refresh.bind(parts.registry);
  parts.registry.refresh = () => {
    roundsBegunAt.push(performance.now());
    return refresh();
  };
  const loop = new Loop({ ...parts, runtimeOf: () => runtime });
  opened.add(() => loop.close());
  const record = (id: string): ServiceRecord | undefined => parts.records.get(id);
  return { loop, parts, record, roundsBegunAt };
}

function aProcess(id: string, host: string, port: number): ObservedProcess {
  return { spec: serviceSpec({ id }), host, port, startedAt: Date.now(), state: 'alive', pid: 1, exit: null };
}

it('1,000 services that answer no pings delay neither the control loop nor the detection of a started service', async () => {
  const responsive = await game.start();
  const port = await aSilentPort();
  const processes = Array.from({ length: SILENT_SERVICES }, (_, i) =>
    aProcess(`lobby-${i + 1}`, `127.0.${1 + Math.floor(i / 250)}.${1 + (i % 250)}`, port),
  );
  const { loop, parts, record, roundsBegunAt } = await aLoopOver(processes);
  const began = performance.now();
  await loop.start();
  const firstRoundMs = performance.now() - began;
  expect(parts.records.all).toHaveLength(SILENT_SERVICES);

  await waitFor(() => roundsBegunAt.length >= 6, { what: 'timed rounds', timeoutMs: 90_000 });
  const timed = roundsBegunAt.slice(1);
  const gaps = timed.slice(1).map((at, i) => at - (timed[i] ?? at));
  const longestRoundMs = Math.max(...gaps) - parts.limits.roundMs;

  processes.push(aProcess('lobby-1001', '127.0.0.1', responsive.port));
  const appearedAt = performance.now();
  loop.poke();
  await waitFor(() => record('lobby-1001')?.state === 'RUNNING', { timeoutMs: 90_000 });
  const noticedAfterMs = performance.now() - appearedAt;

  expect(firstRoundMs).toBeLessThan(DELAY_WITHIN_MS);
  expect(longestRoundMs).toBeLessThan(DELAY_WITHIN_MS);
  expect(noticedAfterMs).toBeLessThan(NOTICED_WITHIN_MS);
});
