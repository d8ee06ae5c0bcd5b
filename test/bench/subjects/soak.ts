import type { Benchmark } from '../kit/benchmark.ts';
import { pause } from '../kit/clock.ts';
import type { Outcome } from '../kit/measurement.ts';
import { Crowd } from '../kit/soak/crowd.ts';
import { growthOf, openFilesOf, type OpenFiles } from '../kit/soak/open-files.ts';
import { churn, startSoakNetwork, untilSteady, type SoakNetwork } from '../kit/soak/network.ts';
import { thirds } from '../kit/soak/thirds.ts';
import { transferFiles, TRANSFERRED_BYTES } from '../kit/soak/transfers.ts';
import { median } from '../kit/statistics.ts';

/** Length of the measurement (minutes). */
const MINUTES = Number(process.env['OVERWORLD_SOAK_MINUTES'] ?? 30);
const QUICK_MINUTES = 2;

const PLAYERS = 200;
/** Number of players who leave in each round. Other players replace them. */
const LEAVING = 120;

/** Share of the measurement that is left out at its beginning (0–1), because caches fill and code is compiled. */
const SETTLING = 0.2;

/** Time between the last change and a sample (ms), in which the master completes its work after the change. */
const REST_MS = 2_000;

/**
 * Number of counts of the open files for one sample. The lowest count is used, because the master always has some
 * files open for a moment. A file that it never closes also raises the lowest count.
 */
const COUNTS = 10;
const BETWEEN_COUNTS_MS = 100;

const MB = 1_048_576;

/** Values of the master at the end of a round. The state of the network is the same at the end of each round. */
interface Sample {
  readonly rssMb: number;
  readonly heapMb: number;
  readonly openFiles: OpenFiles;
  readonly services: number;
}

/**
 * Measures whether the memory and the open files of a master grow when it runs for a long time. During this time,
 * players come and go, the rules and an admin start and stop services, and files are transferred.
 */
export const soak: Benchmark = {
  metrics: ['soak-memory', 'soak-files'],
  async run({ quick, scope, say }) {
    const network = await startSoakNetwork(scope);
    const crowd = new Crowd(network.port);
    scope.add(() => crowd.leave(PLAYERS));
    const lengthMs = (quick ? QUICK_MINUTES : MINUTES) * 60_000;
    say(`${PLAYERS} players for ${lengthMs / 60_000} minutes`);
    await crowd.fillUp(PLAYERS);
    const samples: Sample[] = [];
    const began = performance.now();
    let settled = 0;
    while (performance.now() - began < lengthMs) {
      await round(network, crowd);
      const sample = await look(network);
      if (performance.now() - began < lengthMs * SETTLING) settled += 1;
      samples.push(sample);
      const { rssMb, heapMb, openFiles, services } = sample;
      const minute = ((performance.now() - began) / 60_000).toFixed(1);
      say(
        `minute ${minute}: RSS ${rssMb.toFixed(1)} MB, heap ${heapMb.toFixed(2)} MB, ${openFiles.count} open files, ${services} services`,
      );
    }
    return outcomes(samples.slice(settled), { crowd, minutes: lengthMs / 60_000, rounds: samples.length });
  },
};

/**
 * Changes everything once, and returns to the previous state, in which all players are online with as many services
 * as they need.
 */
async function round(network: SoakNetwork, crowd: Crowd): Promise<void> {
  const { master, ssh, owner, template } = network;
  crowd.leave(LEAVING);
  await Promise.all([untilSteady(master), transferFiles(ssh, owner, { template })]);
  await crowd.fillUp(PLAYERS);
  await churn(network);
}

async function look({ master, probe }: SoakNetwork): Promise<Sample> {
  await pause(REST_MS);
  const services = await untilSteady(master);
  const { rss, heapUsed } = await probe.collect();
  let openFiles = await openFilesOf(master.pid);
  for (let count = 1; count < COUNTS; count += 1) {
    await pause(BETWEEN_COUNTS_MS);
    const again = await openFilesOf(master.pid);
    if (again.count < openFiles.count) openFiles = again;
  }
  return { rssMb: rss / MB, heapMb: heapUsed / MB, openFiles, services };
}

function outcomes(
  samples: readonly Sample[],
  { crowd, minutes, rounds }: { readonly crowd: Crowd; readonly minutes: number; readonly rounds: number },
): readonly Outcome[] {
  const [first, last] = thirds(samples);
  const both = (of: (sample: Sample) => number): [number, number] => [
    median(first.map(of)),
    median(last.map(of)),
  ];
  const [rss, rssAtEnd] = both(({ rssMb }) => rssMb);
  const [heap, heapAtEnd] = both(({ heapMb }) => heapMb);
  const [files, filesAtEnd] = both(({ openFiles }) => openFiles.count);
  const [begin, end] = [samples[0], samples.at(-1)];
  const grown = begin === undefined || end === undefined ? '' : growthOf(begin.openFiles, end.openFiles);
  const kinds = grown === '' ? '' : `; from the first to the last sample: ${grown}`;
  const percent = (from: number, to: number): number => ((to - from) / from) * 100;
  const did = `${minutes} minutes, ${rounds} rounds with ${PLAYERS} players (${crowd.joined} joins through a practice proxy, ${crowd.dropped} dropped), services started and stopped by the rules and by an admin, ${((rounds * TRANSFERRED_BYTES) / MB).toFixed(0)} MB by SFTP`;
  const about = { baseline: null, n: samples.length } as const;
  return [
    {
      ...{ metric: 'soak-memory', unit: '%', ...about },
      value: percent(rss, rssAtEnd),
      note: `growth of the RSS after a garbage collection, from ${rss.toFixed(1)} MB (median of the first third) to ${rssAtEnd.toFixed(1)} MB (of the last third); used heap ${heap.toFixed(1)} to ${heapAtEnd.toFixed(1)} MB; ${did}`,
      goal: { of: 'value', atMost: 2 },
    },
    {
      ...{ metric: 'soak-files', unit: 'files', ...about },
      value: filesAtEnd - files,
      note: `growth of the number of open files, from ${files} (median of the first third) to ${filesAtEnd} (of the last third)${kinds}`,
      goal: { of: 'value', atMost: 0 },
    },
  ];
}
