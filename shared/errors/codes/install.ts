import { code } from '../code.ts';

/** Errors of installing, updating and moving masters on servers, from the app. */
export const installCodes = {
  INSTALL_RUNNING: code<{ address: string }>(
    'user',
    ({ address }) =>
      `An installation, update or move on ${address} is running, so no other one was started. Wait until it has ended, or cancel it.`,
  ),
  INSTALL_JOB_UNKNOWN: code<{ job: string }>(
    'user',
    ({ job }) =>
      `The installation, update or move ${job} does not exist any more or is complete, so there is nothing to continue. Start a new one.`,
  ),
  SERVER_UNREACHABLE: code<{ address: string; why: string }>(
    'transient',
    ({ address, why }) =>
      `The SSH server at ${address} cannot be reached: ${why}. Check address, port and firewall, then continue.`,
    true,
  ),
  SERVER_KEY_CHANGED: code<{ address: string; expected: string; found: string; source: string }>(
    'user',
    ({ address, expected, found, source }) =>
      `The server at ${address} has a different host key than the one known from ${source} (expected ${expected}, found ${found}), so nothing was sent to it. Someone may be intercepting the connection. If you know why the key changed, remove the stored key and start again.`,
  ),
  SERVER_LOGIN_REFUSED: code<{ address: string; user: string; why: string }>(
    'user',
    ({ address, user, why }) =>
      `The server at ${address} does not let ${user} log in: ${why}. Choose another user or login method, then continue.`,
  ),
  SERVER_SUDO_REFUSED: code<{ address: string; user: string; why: string }>(
    'user',
    ({ address, user, why }) =>
      `The user ${user} cannot become root on ${address}: ${why}. Log in as root, or as a user who may use sudo, then continue.`,
  ),
  SERVER_CONNECTION_LOST: code<{ address: string }>(
    'transient',
    ({ address }) =>
      `The SSH connection to ${address} broke. Nothing is lost. Continue; completed steps are skipped.`,
    true,
  ),
  LOGIN_KEY_UNUSABLE: code<{ path: string; why: string }>(
    'user',
    ({ path, why }) =>
      `The private key ${path} cannot be used: ${why}. Correct this or choose another key, then continue.`,
  ),
  LOGIN_KEY_NOT_CHOSEN: code<{ path: string }>(
    'user',
    ({ path }) =>
      `The private key ${path} was not used, because it is not in your SSH folder and was not chosen as a key file in the app. Choose it there, then continue.`,
  ),
  SERVER_UNSUITABLE: code<{ address: string; problems: readonly string[] }>(
    'user',
    ({ address, problems }) =>
      `The server at ${address} is not suitable for this master; nothing was changed on it. ${problems.join(' ')}`,
  ),
  PACKAGE_MISSING: code<{ file: string; why: string }>(
    'user',
    ({ file, why }) =>
      `The package ${file} of the master is missing: ${why}. Get an app that contains it, or build it with: npm run dist -- --master`,
  ),
  UPLOAD_DAMAGED: code<{ file: string; address: string; expected: string; found: string }>(
    'transient',
    ({ file, address, expected, found }) =>
      `The package ${file} arrived damaged on ${address} (SHA-256 ${found} instead of ${expected}), so it was deleted there and not installed. Continue to upload it again.`,
    true,
  ),
  INSTALL_STEP_FAILED: code<{ step: string; address: string; why: string }>(
    'user',
    ({ step, address, why }) =>
      `The step "${step}" failed on ${address}: ${why}. Correct this on the server, then continue; completed steps are skipped.`,
  ),
  MOVE_IMPOSSIBLE: code<{ address: string; problems: readonly string[] }>(
    'user',
    ({ address, problems }) =>
      `The master on ${address} cannot be moved now; nothing was changed on it. ${problems.join(' ')}`,
  ),
  MOVE_RETURNED: code<{ from: string; to: string; why: string }>(
    'user',
    ({ from, to, why }) =>
      `The master was not moved to ${to}: ${why}. The master on ${from} serves again with its data, and the copy on ${to} is stopped and disabled. Correct the cause, then continue.`,
  ),
  MOVE_STUCK: code<{ from: string; to: string; why: string; whyNotBack: string }>(
    'user',
    ({ from, to, why, whyNotBack }) =>
      `The master was not moved to ${to}: ${why}. The return to the master on ${from} also failed: ${whyNotBack}. Services keep running, but possibly no master manages them. To try again, choose Continue. Or start the earlier master by hand: first run "systemctl disable --now overworld-master" on ${to}, then run "systemctl enable --now overworld-master" on ${from}. Two masters must never run at once.`,
  ),
};
