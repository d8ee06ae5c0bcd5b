import { hasCode } from '#shared/errors/overworld-error.ts';
import type { MasterClient } from '../client.ts';

/**
 * Asks a master whether it serves SSH. A master of an older version without this request serves SSH whenever it
 * answers.
 *
 * @throws OverworldError as `MasterClient.call` does
 */
export async function isSshReady(master: MasterClient): Promise<boolean> {
  try {
    return (await master.call('master.readiness', {})).sshReady;
  } catch (error) {
    if (hasCode(error, 'MASTER_VERSION_MISMATCH')) return true;
    throw error;
  }
}
