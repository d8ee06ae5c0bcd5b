import { copyFile, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { javaArguments } from '#master/runtime/java-arguments.ts';
import { statusPing } from '#master/runtime/ping/status-ping.ts';
import { PROCESS_OVERHEAD_MB } from '#shared/config/template.ts';
import { setConfig, SMALL } from '#test/support/master/network.ts';
import { practiceServerJar } from '#test/support/players/practice-server.ts';
import { waitFor } from '#test/support/wait-for.ts';
import type { BenchContext } from '../kit/benchmark.ts';
import { secondsOf } from '../kit/clock.ts';
import { interleave } from '../kit/interleave.ts';
import type { Measurement } from '../kit/measurement.ts';
import { endService, TEMPLATE, untilRunning } from '../kit/network/practice-master.ts';
import {
  BARE_START,
  setStartWork,
  startWorkLine,
  USUAL_START,
  type StartWork,
} from '../kit/network/start-work.ts';
import { median, spread } from '../kit/statistics.ts';
import type { WarmNode } from './warm-node.ts';
import { mustRun } from './open-shell.ts';

/**
 * Port of the servers that are started by hand. It is the last port that the firewall opens for the master, and no
 * service uses it in this benchmark.
 */
const PORT = 25_999;
const FOLDER = '/var/lib/by-hand';
const UNIT = 'overworld-bench-java.service';

const START_TIMEOUT_MS = 60_000;
const PING_TIMEOUT_MS = 2_000;

/**
 * Measures the time from the request of a service through the admin API until the service is RUNNING on a node. The
 * baseline is the master's java command, run by hand. Measures both with a server that takes seconds to start, and
 * with a server that is ready immediately.
 */
export async function measureServiceStart(
  warm: WarmNode,
  context: BenchContext,
): Promise<readonly Measurement[]> {
  const { master } = warm.fixture;
  // Without this setting, the rules would stop unused services.
  await setConfig(master, TEMPLATE, { killUnusedTooManyServersAfter: -1 });
  return [
    {
      ...(await measure(warm, USUAL_START, context)),
      metric: 'node-service-start',
      goal: { of: 'ratio', atMost: 1.05 },
    },
    { ...(await measure(warm, BARE_START, context)), metric: 'node-service-start-bare', goal: null },
  ];
}

async function measure(
  warm: WarmNode,
  work: StartWork,
  { quick, say }: BenchContext,
): Promise<Omit<Measurement, 'metric' | 'goal'>> {
  const { master } = warm.fixture;
  await setStartWork(master, work);
  await layOutByHand(warm, work);
  const start = async (): Promise<number> => {
    let id = '';
    const seconds = await secondsOf(async () => {
      ({ id } = await master.call('services.start', { template: TEMPLATE }));
      await untilRunning(master, id);
    });
    await endService(master, id);
    return seconds;
  };
  // Start a service once, so that the new files are copied to the node.
  await start();
  const n = quick ? 1 : 5;
  say(`${n} starts each way, ${work.name}`);
  const pairs = await interleave(n, { ours: start, baseline: () => startByHand(warm) });
  const [value, baseline] = [median(pairs.ours), median(pairs.baseline)];
  return {
    value,
    unit: 's',
    baseline,
    n,
    note: `services.start to RUNNING seen, ${work.name} on a node that has the files (${spread(pairs.ours)}), beside the same java command by systemd-run over an open connection, in a folder that is laid out already, until it answers a ping (${spread(pairs.baseline)}); both looked at every 20 ms; the master adds ${(value - baseline).toFixed(2)} s`,
  };
}

/** Sets up the folder of a server as a person does, with the jar and server.properties. */
async function layOutByHand({ node, shell }: WarmNode, work: StartWork): Promise<void> {
  const folder = join(node.root, FOLDER);
  await mkdir(folder, { recursive: true });
  await copyFile(await practiceServerJar(), join(folder, 'server.jar'));
  await writeFile(
    join(folder, 'server.properties'),
    `server-port=${PORT}\nmax-players=${SMALL.maxPlayers}\nserver-ip=\n${startWorkLine(work)}`,
  );
  // This pipe keeps the server's stdin open, because a server treats the end of its input as a request to stop.
  await mustRun(
    shell,
    `rm -f ${FOLDER}/console && mkfifo ${FOLDER}/console && chown -R overworld: ${FOLDER}`,
  );
}

async function startByHand({ node, shell }: WarmNode): Promise<number> {
  const spec = {
    minJvmMemoryMb: SMALL.minJvmMemory,
    maxJvmMemoryMb: SMALL.maxJvmMemory,
    jvmArguments: [],
    isProxy: false,
  };
  const command = [
    `systemd-run --quiet --unit=${UNIT} --uid=overworld --working-directory=${FOLDER}`,
    `-p MemoryMax=${SMALL.maxJvmMemory + PROCESS_OVERHEAD_MB}M -p SuccessExitStatus=143`,
    `sh -c 'exec java ${javaArguments(spec).join(' ')} <> console'`,
  ];
  const seconds = await secondsOf(async () => {
    await mustRun(shell, command.join(' '));
    await waitFor(
      async () =>
        (await statusPing({ host: node.address, port: PORT, timeoutMs: PING_TIMEOUT_MS })).kind === 'answer',
      { timeoutMs: START_TIMEOUT_MS, what: 'an answer to a status ping' },
    );
  });
  await mustRun(
    shell,
    `systemctl kill -s KILL ${UNIT}; systemctl stop ${UNIT}; systemctl reset-failed ${UNIT} 2>/dev/null || true`,
  );
  return seconds;
}
