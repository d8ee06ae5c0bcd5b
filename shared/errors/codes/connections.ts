import { code } from '../code.ts';

/** Errors of the app's connections to masters. */
export const connectionCodes = {
  MASTER_UNREACHABLE: code<{ address: string; why: string }>(
    'transient',
    ({ address, why }) =>
      `The master at ${address} cannot be reached: ${why}. Check address, port and firewall.`,
    true,
  ),
  HOST_KEY_CHANGED: code<{ address: string; expected: string; found: string }>(
    'user',
    ({ address, expected, found }) =>
      `The master at ${address} shows another host key than before (expected ${expected}, found ${found}). Somebody may be in between; connect only if you know why it changed.`,
  ),
  HOST_KEY_UNKNOWN: code<{ address: string; found: string }>(
    'user',
    ({ address, found }) =>
      `The master at ${address} is new to this app. It shows the host key ${found}; compare it with what overworld-master status says there, then trust it.`,
  ),
  HOST_KEY_NOT_SHOWN: code<{ connection: string; hostKey: string }>(
    'user',
    ({ connection, hostKey }) =>
      `The master "${connection}" has not shown the host key ${hostKey} to this app, so it was not trusted. Connect to it or test the connection, and compare what it shows.`,
  ),
  HOST_KEY_NAME_MISSING: code<{ connection: string }>(
    'user',
    ({ connection }) =>
      `The changed host key of "${connection}" was not trusted: its name was not typed. Type the name of the connection to confirm it.`,
  ),
  AUTH_REFUSED: code<{ address: string; fingerprint: string }>(
    'user',
    ({ address, fingerprint }) =>
      `The master at ${address} does not accept this app's key (${fingerprint}). Add it there with: overworld-master keys add`,
  ),
  API_VERSION_MISMATCH: code<{ address: string; theirs: number; ours: number }>(
    'user',
    ({ address, theirs, ours }) =>
      `The master at ${address} speaks version ${theirs} of the admin API, this app version ${ours}. Update the ${theirs < ours ? 'master' : 'app'}.`,
  ),
  CONNECTION_NOT_FOUND: code<{ connection: string }>(
    'user',
    ({ connection }) => `There is no connection "${connection}" any more. It may have been removed.`,
  ),
  CONNECTION_IN_USE: code<{ connection: string }>(
    'user',
    ({ connection }) =>
      `The connection "${connection}" is in use, so it cannot be removed. Switch to another one first.`,
  ),
  CONNECTION_EMBEDDED: code<{ connection: string }>(
    'user',
    ({ connection }) =>
      `The connection "${connection}" is that of the master that comes with the app: it cannot be changed or removed.`,
  ),
  CONNECTION_LOST: code<{ address: string }>(
    'transient',
    ({ address }) => `The connection to the master at ${address} was lost. The app reconnects automatically.`,
    true,
  ),
  CONNECTION_REMOVED: code<{ transfer: string }>(
    'user',
    ({ transfer }) =>
      `The connection of the transfer "${transfer}" was removed, so it cannot continue. Connect to that master again and start the transfer again.`,
  ),
  NOT_CONNECTED: code<{ status: string }>(
    'transient',
    ({ status }) =>
      `There is no connection to the master at the moment (${status}). Try again when it is connected.`,
    true,
  ),
  MASTER_SWITCHED: code<{ request: string }>(
    'user',
    ({ request }) =>
      `Another master was chosen a moment before ${request} was sent, so it was not carried out there. Nothing was changed; do it again if you mean it for the master that is shown now.`,
  ),
  REQUEST_TIMEOUT: code<{ method: string; afterMs: number }>(
    'transient',
    ({ method, afterMs }) =>
      `The master gave no answer to ${method} within ${Math.round(afterMs / 1000)} s. It may still carry it out; look before you try again.`,
    true,
  ),
  EMBEDDED_MASTER_FAILED: code<{ why: string }>(
    'internal',
    ({ why }) => `The embedded master stopped working: ${why}. The app restarts it.`,
    true,
  ),
};
