import { connect } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { hasCode, OverworldError } from '#shared/errors/overworld-error.ts';
import { monotonicMs } from '#shared/node/clock.ts';
import type { Result } from '#shared/rpc/contract.ts';
import { UNIT } from '#master/doctor/service-unit.ts';
import { withMaster, type MasterClient } from '../client.ts';
import type { SshAddress } from './options-file.ts';
import { isSshReady } from './ssh-ready.ts';
import { readLastLog, readSshAddress, readUnitState, type UnitState } from './unit.ts';

/**
 * Default maximum time until a started master serves its API (ms). With many templates, a start takes several
 * seconds.
 */
const TIMEOUT_MS = 60_000;

/** Maximum time of one request to the master (ms). */
const ANSWER_TIMEOUT_MS = 2_000;

const LOOK_AGAIN_MS = 100;

/**
 * Number of restarts after failures that are tolerated. A first failure may be a coincidence, but a second one ends
 * the wait.
 */
const MAX_RESTARTS = 1;

/** Information that a master returns about itself. */
export type MasterInfo = Result<'master.info'>;

/** A master that serves the admin API and SSH. */
export interface ServingMaster {
  readonly info: MasterInfo;
  /** Address at which the master's SSH server listens. */
  readonly address: SshAddress;
}

/**
 * Waits until the unit's master answers on its local socket, and its own SSH server accepts connections. Fails early
 * if the unit has failed, or if the master fails again after a restart.
 *
 * @param timeoutMs time limit (ms); default 60 s
 * @throws OverworldError MASTER_SILENT with the last lines of the master's log
 */
export async function waitUntilServing(dataFolder: string, timeoutMs = TIMEOUT_MS): Promise<ServingMaster> {
  const address = await readSshAddress();
  const info = await waitForInfo(async () => {
    const found = await ask(dataFolder, async (master) => ({
      info: await master.call('master.info', {}),
      // Also asks the master itself, because the SSH server of another program may answer on its port.
      sshReady: await isSshReady(master),
    }));
    return found?.sshReady === true && (await showsBanner(address)) ? found.info : null;
  }, timeoutMs);
  return { info, address };
}

/**
 * Waits until the unit's master answers on its local socket. Fails early under the same conditions as
 * {@link waitUntilServing}.
 *
 * @param timeoutMs time limit (ms); default 60 s
 * @throws OverworldError MASTER_SILENT with the last lines of the master's log
 */
export async function waitUntilAnswering(dataFolder: string, timeoutMs = TIMEOUT_MS): Promise<MasterInfo> {
  return waitForInfo(() => ask(dataFolder, (master) => master.call('master.info', {})), timeoutMs);
}

async function waitForInfo(
  findInfo: () => Promise<MasterInfo | null>,
  timeoutMs: number,
): Promise<MasterInfo> {
  const until = monotonicMs() + timeoutMs;
  const before = (await readUnitState()).restarts;
  for (;;) {
    const info = await findInfo();
    if (info !== null) return info;
    const unit = await readUnitState();
    if (hasGivenUp(unit, before)) throw await silence(`is ${unit.active} (${unit.sub})`);
    if (monotonicMs() > until)
      throw await silence(`is ${unit.active}, but did not answer within ${timeoutMs / 1000} s`);
    await delay(LOOK_AGAIN_MS);
  }
}

/**
 * Returns whether the unit's master needs a person before it can serve: the unit has failed or is inactive, or the
 * master has failed again after a restart.
 *
 * @param restartsBefore number of restarts when the wait began
 */
export function hasGivenUp({ active, sub, restarts }: UnitState, restartsBefore: number): boolean {
  if (active === 'failed' || active === 'inactive') return true;
  return sub === 'auto-restart' && restarts - restartsBefore >= MAX_RESTARTS;
}

async function silence(state: string): Promise<OverworldError> {
  return new OverworldError('MASTER_SILENT', { unit: UNIT, state, log: await readLastLog() });
}

/** Connects to the master, and calls `use`. Null if no master answers. */
async function ask<T>(dataFolder: string, use: (master: MasterClient) => Promise<T>): Promise<T | null> {
  try {
    return await withMaster(dataFolder, use, ANSWER_TIMEOUT_MS);
  } catch (error) {
    const isStarting =
      hasCode(error, 'MASTER_NOT_RUNNING') ||
      hasCode(error, 'MASTER_CONNECTION_FAILED') ||
      hasCode(error, 'REQUEST_TIMEOUT');
    if (isStarting) return null;
    throw error;
  }
}

/** Returns whether an SSH server answers at an address of the local machine. */
function showsBanner({ host, port }: SshAddress): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host: host === '0.0.0.0' || host === '::' ? 'localhost' : host, port });
    const end = (seen: boolean): void => {
      socket.destroy();
      resolve(seen);
    };
    socket.setTimeout(ANSWER_TIMEOUT_MS, () => end(false));
    socket.once('error', () => end(false));
    socket.once('end', () => end(false));
    socket.once('data', (data) => end(data.toString('latin1').startsWith('SSH-2.0-')));
  });
}
