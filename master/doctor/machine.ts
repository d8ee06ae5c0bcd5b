import { execFile } from 'node:child_process';
import { createServer } from 'node:net';
import { networkInterfaces } from 'node:os';
import { statfs } from 'node:fs/promises';
import { promisify } from 'node:util';
import type { MasterConfig } from '#shared/config/master.ts';
import { hasCode } from '#shared/errors/overworld-error.ts';
import { findJava, readJavaVersion } from '#master/runtime/process/java.ts';
import { bad, ok, skipped, warning, type Finding } from './finding.ts';

const GB = 1_073_741_824;

/** Less than this and the next upload or log may fail. */
const LEAST_BYTES = GB;
/** Less than this share is worth a thought. */
const LOW_PERCENT = 10;

const LOOPBACK = /^(127\.|::1$)/;

/** The disk that holds the data folder. */
export async function checkDisk(data: string): Promise<Finding> {
  const check = 'disk';
  const { bavail, blocks, bsize } = await statfs(data);
  const free = bavail * bsize;
  const percent = Math.floor((bavail * 100) / blocks);
  const found = `${(free / GB).toFixed(1)} GB (${percent} %) are free where ${data} is.`;
  if (free < LEAST_BYTES) return bad(check, found, 'Free some space: nothing can be stored on a full disk.');
  if (percent < LOW_PERCENT) return warning(check, found, 'Free some space before it runs out.');
  return ok(check, found);
}

/** `communication.hostname` (spec 2.2): an address of this machine, which nodes can reach. */
export function checkAddress({ communication: { hostname } }: MasterConfig): Finding {
  const check = 'own address';
  const own = Object.values(networkInterfaces()).flatMap((addresses) =>
    (addresses ?? []).map(({ address }) => address),
  );
  if (LOOPBACK.test(hostname)) {
    const found = `communication.hostname is ${hostname}, which only this machine itself reaches.`;
    return warning(
      check,
      found,
      'Before nodes are rented, set it to the address by which they reach this machine.',
    );
  }
  if (own.includes(hostname)) return ok(check, `${hostname} is an address of this machine.`);
  const found = `communication.hostname is ${hostname}, but this machine has ${own.filter((one) => !LOOPBACK.test(one)).join(', ') || 'no address'}.`;
  return bad(check, found, 'Set communication.hostname to one of these and start the master again.');
}

/** `communication.port`: free, or taken by the master itself. */
export async function checkPort({ communication }: MasterConfig, isMasterRunning: boolean): Promise<Finding> {
  const check = 'own port';
  const { hostname, port } = communication;
  if (isMasterRunning) return skipped(check, `The master runs, so port ${port} is not tried.`);
  const problem = await new Promise<NodeJS.ErrnoException | null>((resolve) => {
    const server = createServer()
      .once('error', resolve)
      .listen({ host: hostname, port, exclusive: true }, () => server.close(() => resolve(null)));
  });
  if (problem === null) return ok(check, `${hostname}:${port} is free for the master.`);
  const taken = problem.code === 'EADDRINUSE';
  const found = taken
    ? `Another program has port ${port} (communication.port).`
    : `The master cannot listen on ${hostname}:${port}: ${problem.message}.`;
  return bad(
    check,
    found,
    taken ? 'End that program, or set another communication.port.' : 'Correct communication.',
  );
}

/** Java for services on this machine. */
export async function checkJava(): Promise<Finding> {
  const check = 'Java';
  try {
    const java = await findJava(null, undefined);
    return ok(check, `${java} is version ${(await readJavaVersion(java)) ?? 'unknown'}.`);
  } catch (error) {
    if (!hasCode(error, 'JAVA_MISSING')) throw error;
    return warning(
      check,
      'There is no Java on this machine.',
      'Install one (apt install openjdk-17-jre-headless) if services are to run here; rented nodes bring their own.',
    );
  }
}

/** Whether this machine's clock is kept right by the system. */
export async function checkClock(): Promise<Finding> {
  const check = 'clock';
  try {
    const { stdout } = await promisify(execFile)(
      'timedatectl',
      ['show', '-p', 'NTPSynchronized', '--value'],
      {
        timeout: 5_000,
      },
    );
    if (stdout.trim() === 'yes') return ok(check, 'The clock is kept right by the network.');
    const advice = 'Switch it on: timedatectl set-ntp true. Paid hours are counted by this clock.';
    return warning(check, 'The clock is not kept right by the network.', advice);
  } catch {
    return skipped(check, 'Nobody here can say whether the clock is kept right (no timedatectl).');
  }
}
