import { setTimeout as sleep } from 'node:timers/promises';
import { hasCode } from '#shared/errors/overworld-error.ts';
import { Deadline } from '#shared/node/clock.ts';
import type { MasterAddress } from '../../connections/ssh.ts';
import { withAdminApi } from '../../connections/with-admin-api.ts';
import type { StepControl } from '../job/job-parts.ts';
import type { AppIdentity } from '../../vault/identity.ts';

/**
 * How long failed attempts are repeated, and the pause between two attempts (ms). A restarted master needs seconds.
 */
const RETRY_FOR_MS = 15_000;
const PAUSE_MS = 500;

interface Reach {
  readonly target: MasterAddress;
  readonly identity: AppIdentity;
  readonly signal: AbortSignal;
}

/**
 * Logs in to a master with the app's own key. Retries for 15 s while the master cannot be reached.
 *
 * @returns the version of the master
 * @throws OverworldError MASTER_UNREACHABLE, HOST_KEY_UNKNOWN, HOST_KEY_CHANGED, AUTH_REFUSED, API_VERSION_MISMATCH,
 *   or the signal's abort reason
 */
export async function reachMaster(step: StepControl, { target, identity, signal }: Reach): Promise<string> {
  const deadline = new Deadline();
  deadline.set(RETRY_FOR_MS);
  for (;;) {
    signal.throwIfAborted();
    try {
      const { version, role } = await withAdminApi({ target, identity }, ({ info }) =>
        Promise.resolve({ version: info.version, role: info.you.role }),
      );
      step.detail(`Version ${version}, logged in as ${role}.`);
      return version;
    } catch (error) {
      if (deadline.isOver || !hasCode(error, 'MASTER_UNREACHABLE')) throw error;
      await sleep(PAUSE_MS, undefined, { signal });
    }
  }
}
