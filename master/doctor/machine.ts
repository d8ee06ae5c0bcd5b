import { execFile } from 'node:child_process';
import { statfs } from 'node:fs/promises';
import { promisify } from 'node:util';
import { findMachinesJava, readJavaVersion } from '#master/runtime/process/java.ts';
import { bad, ok, skipped, warning, type Finding } from './finding.ts';
import { UNIT, type ServiceUnit } from './service-unit.ts';

const GB = 1_073_741_824;

/** Free space below which the check fails (bytes). With less space, the next upload or log may fail. */
const LEAST_BYTES = GB;
/** Free space below which the doctor warns (percentage of the disk). */
const LOW_PERCENT = 10;

/**
 * State of the master that uses the data folder. `none`: no master runs. `silent`: a master runs, but does not
 * answer. `java`: version of the Java with which the master runs services on this machine; null if it has found none.
 * `sshReady`: whether SSH is served on the master's port.
 */
export type MasterState =
  | { readonly kind: 'none' }
  | { readonly kind: 'silent' }
  | { readonly kind: 'running'; readonly java: string | null; readonly sshReady: boolean };

/**
 * Checks the free space on the disk of the data folder. Less than 1 GB is a failure, and less than 10 % a warning.
 *
 * @throws errno errors if there is no such folder
 */
export async function checkDisk(data: string): Promise<Finding> {
  const check = 'disk';
  const { bavail, blocks, bsize } = await statfs(data);
  const free = bavail * bsize;
  const percent = Math.floor((bavail * 100) / blocks);
  const found = `${(free / GB).toFixed(1)} GB (${percent} %) are free on the disk of ${data}.`;
  if (free < LEAST_BYTES) return bad(check, found, 'Free some space: nothing can be stored on a full disk.');
  if (percent < LOW_PERCENT) return warning(check, found, 'Free some space before it runs out.');
  return ok(check, found);
}

/** PATH that systemd sets for a unit whose settings contain none. */
const SYSTEM_PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';

/**
 * Checks the Java for services on this machine. If a master runs, reports the Java that the master has found.
 * Otherwise, searches for Java with the JAVA_HOME and PATH of the master's unit. Without a unit, searches with the
 * JAVA_HOME and PATH of the doctor's shell, which may differ from the master's.
 */
export async function checkJava(master: MasterState, unit: ServiceUnit | null): Promise<Finding> {
  const check = 'Java';
  if (unit?.isLocal === false)
    return skipped(check, `The unit ${UNIT} runs no services under its own user (--no-local).`);
  const advice =
    'Install one (apt-get install default-jre-headless), or put one into the jre/ folder of a template, if services are to run here; cloud nodes install their own.';
  switch (master.kind) {
    case 'silent':
      return skipped(check, 'The running master does not answer, so its Java version is unknown.');
    case 'running':
      return master.java === null
        ? warning(check, 'The running master finds no Java on this machine.', advice)
        : ok(check, `The running master starts services on this machine with Java ${master.java}.`);
    case 'none': {
      const who = unit === null ? 'this shell' : `the unit ${UNIT}`;
      const environment = unit === null ? process.env : { PATH: SYSTEM_PATH, ...unit.environment };
      const java = await findMachinesJava(undefined, environment);
      if (java === null) return warning(check, `No master is running, and ${who} finds no Java.`, advice);
      const version = (await readJavaVersion(java)) ?? 'unknown';
      return ok(check, `No master is running. T${who.slice(1)} finds ${java}, version ${version}.`);
    }
  }
}

/**
 * Checks whether the system synchronises this machine's clock. The check is skipped if timedatectl is missing, fails,
 * or takes more than 5 s.
 */
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
    if (stdout.trim() === 'yes') return ok(check, 'The clock is synchronised over the network (NTP).');
    const advice = 'Run: timedatectl set-ntp true. Paid hours are counted by this clock.';
    return warning(check, 'The clock is not synchronised over the network (NTP).', advice);
  } catch {
    return skipped(check, 'Clock synchronisation cannot be checked, because timedatectl is missing.');
  }
}
