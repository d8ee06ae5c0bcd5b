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
      `The master at ${address} has a different host key than before (expected ${expected}, found ${found}). Someone may be intercepting the connection. Connect only if you know why the key changed.`,
  ),
  HOST_KEY_UNKNOWN: code<{ address: string; found: string }>(
    'user',
    ({ address, found }) =>
      `The master at ${address} is new to this app. Its host key is ${found}. Compare it with the output of overworld-master status there, then trust it.`,
  ),
  HOST_KEY_NOT_SHOWN: code<{ connection: string; hostKey: string }>(
    'user',
    ({ connection, hostKey }) =>
      `The master "${connection}" has not presented the host key ${hostKey} to this app, so the key was not trusted. Connect to the master or test the connection, and compare its key.`,
  ),
  HOST_KEY_NAME_MISSING: code<{ connection: string }>(
    'user',
    ({ connection }) =>
      `The changed host key of "${connection}" was not trusted, because the name of the connection was not entered. Enter it to confirm.`,
  ),
  AUTH_REFUSED: code<{ address: string; fingerprint: string }>(
    'user',
    ({ address, fingerprint }) =>
      `The master at ${address} does not accept this app's key (${fingerprint}). Add it there with: overworld-master keys add`,
  ),
  API_VERSION_MISMATCH: code<{
    address: string;
    master: string;
    app: string;
    theirs: number;
    ours: number;
  }>(
    'user',
    ({ address, master, app, theirs, ours }) =>
      `The master at ${address} has version ${master}, and this app has version ${app}. These versions cannot work together (admin API ${theirs} and ${ours}). Update the ${theirs < ours ? 'master' : 'app'}.`,
  ),
  UNSUPPORTED_BY_MASTER: code<{
    address: string;
    what: string;
    master: string;
    app: string;
    update: 'master' | 'app';
  }>(
    'user',
    ({ address, what, master, app, update }) =>
      `The master at ${address} does not support ${what}. It has version ${master}, and this app has version ${app}. Update the ${update}.`,
  ),
  CONNECTION_NOT_FOUND: code<{ connection: string }>(
    'user',
    ({ connection }) => `The connection "${connection}" does not exist. It may have been removed.`,
  ),
  CONNECTION_IN_USE: code<{ connection: string }>(
    'user',
    ({ connection }) =>
      `The connection "${connection}" is in use, so it cannot be removed. Switch to another one first.`,
  ),
  CONNECTION_EMBEDDED: code<{ connection: string }>(
    'user',
    ({ connection }) =>
      `The connection "${connection}" belongs to the embedded master of this app and cannot be changed or removed.`,
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
    ({ status }) => `There is no connection to the master (${status}). Try again when it is connected.`,
    true,
  ),
  MASTER_SWITCHED: code<{ request: string }>(
    'user',
    ({ request }) =>
      `The connection was switched to another master before ${request} was sent, so nothing was changed. Repeat it if it is meant for the current master.`,
  ),
  REQUEST_TIMEOUT: code<{ method: string; afterMs: number }>(
    'transient',
    ({ method, afterMs }) =>
      `The master did not answer ${method} within ${Math.round(afterMs / 1000)} s. The request may still be processed. Check its effect before you try again.`,
    true,
  ),
  EMBEDDED_MASTER_FAILED: code<{ why: string }>(
    'internal',
    ({ why }) => `The embedded master stopped working: ${why}. The app restarts it.`,
    true,
  ),
};
