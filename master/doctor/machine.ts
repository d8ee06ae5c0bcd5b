import { execFile } from 'node:child_process';
import { statfs } from 'node:fs/promises';
import { promisify } from 'node:util';
import { findMachinesJava, readJavaVersion } from '#master/runtime/process/java.ts';
import { bad, ok, skipped, warning, type Finding } from './finding.ts';

const GB = 1_073_741_824;

/** Less than this and the next upload or log may fail. */
const LEAST_BYTES = GB;
/** Less than this share is worth a thought. */
const LOW_PERCENT = 10;

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

/** Java for services on this machine. */
export async function checkJava(): Promise<Finding> {
  const check = 'Java';
  const java = await findMachinesJava(undefined);
  if (java !== null) return ok(check, `${java} is version ${(await readJavaVersion(java)) ?? 'unknown'}.`);
  return warning(
    check,
    'There is no Java on this machine.',
    'Install one (apt install openjdk-17-jre-headless) if services are to run here; rented nodes bring their own.',
  );
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
