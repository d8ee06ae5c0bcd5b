import { OverworldError } from '#shared/errors/overworld-error.ts';
import type { InstallStepName } from '#shared/ipc/contract.ts';
import { MOVE_MARK_PATH } from '#shared/move-mark.ts';
import { quote } from '#shared/text/shell.ts';
import { COPY_MARK, DATA_FOLDER, HANDED_MARK, HOST_KEY, MOVE_FOLDER, STOPPED_MARK } from '../move-places.ts';
import { endUnitScript, type RootShell } from '../server/run-in-unit.ts';
import { reasonIn } from './failure.ts';

const UNIT = 'overworld-master';

/** Maximum time until a restarted master serves (s). With many templates, a start takes seconds. */
const SERVE_WITHIN_S = 90;

/** Shell command that creates root's folder for the marks of a move. */
const markFolder = `install -d -o root -g root -m 755 ${MOVE_FOLDER}`;

/**
 * Script that stops and disables the master's unit, and verifies that no process of the master is left. systemd
 * itself does not ensure this, because the unit has `KillMode=process`. Also stops a running backup. While the
 * master's unit is disabled, the timer starts no other backup. Old versions of the master have no unit for backups.
 */
const stopScript = `
if systemctl cat ${UNIT} > /dev/null 2>&1; then
  systemctl disable --quiet ${UNIT} 2> /dev/null
  systemctl stop ${UNIT} || exit 1
  systemctl stop ${UNIT}-backup 2> /dev/null
  case $(systemctl is-enabled ${UNIT} 2> /dev/null) in
    enabled*) echo 'the unit is still enabled' >&2; exit 1 ;;
  esac
  case $(systemctl show -p ActiveState --value ${UNIT}) in
    inactive | failed) ;;
    *) echo 'the unit still runs' >&2; exit 1 ;;
  esac
fi
for process in /proc/[0-9]*; do
  case "$(tr '\\0' ' ' 2> /dev/null < $process/cmdline)" in
    '/usr/lib/overworld-master/bin/node /usr/lib/overworld-master/index.js run '*)
      echo "process \${process#/proc/} of the master still runs" >&2
      exit 1 ;;
  esac
done`;

/**
 * Script that removes the host key of the copy. It runs as the user who owns the folder, because root must not write
 * there.
 */
const disarmScript = `
if [ -e ${DATA_FOLDER}/${HOST_KEY} ]; then
  setpriv --reuid="$(stat -Lc %u ${DATA_FOLDER})" --regid="$(stat -Lc %g ${DATA_FOLDER})" --clear-groups \\
    --no-new-privs rm -f ${DATA_FOLDER}/${HOST_KEY}
  [ ! -e ${DATA_FOLDER}/${HOST_KEY} ] || { echo 'its host key cannot be removed' >&2; exit 1; }
fi`;

/** Script that waits until the master answers. */
const waitScript = `
tries=0
until overworld-master status > /dev/null 2>&1; do
  tries=$((tries + 1))
  if [ $tries -gt ${SERVE_WITHIN_S} ]; then
    echo "it does not serve after ${SERVE_WITHIN_S} s; see: journalctl -u ${UNIT}" >&2
    exit 1
  fi
  sleep 1
done`;

/** Script that starts the master, enables it for each boot, and waits until the master answers. */
const startScript = `
systemctl enable --quiet ${UNIT} || exit 1
systemctl reset-failed ${UNIT} 2> /dev/null
systemctl start ${UNIT} || exit 1
${waitScript}
rm -rf ${MOVE_FOLDER}`;

interface Control {
  readonly step: InstallStepName;
  /** `host:port`, for messages. */
  readonly address: string;
  readonly signal: AbortSignal;
}

/**
 * Stops the old master permanently. Writes the mark first, so that an interrupted job can be continued.
 *
 * @throws OverworldError INSTALL_STEP_FAILED, SERVER_CONNECTION_LOST, or the signal's abort reason
 */
export async function stopForMove(root: RootShell, control: Control): Promise<void> {
  await must(root, `${markFolder} && : > ${STOPPED_MARK} || exit 1${stopScript}`, control);
}

/**
 * Records on the old server that the new server can start its master from now on.
 *
 * @param to `host:port` of the new server
 * @throws OverworldError INSTALL_STEP_FAILED, SERVER_CONNECTION_LOST, or the signal's abort reason
 */
export async function markHandedOver(root: RootShell, to: string, control: Control): Promise<void> {
  await must(root, `printf %s ${quote(to)} > ${HANDED_MARK}`, control);
}

/**
 * Ensures that no copy of the master runs on the new server or can start there. Stops such a copy, even if its set-up
 * is still running, and removes its host key.
 *
 * @throws OverworldError INSTALL_STEP_FAILED, SERVER_CONNECTION_LOST, or the signal's abort reason
 */
export async function disarm(root: RootShell, control: Control): Promise<void> {
  const mark = `${markFolder} && : > ${COPY_MARK} || exit 1`;
  await must(root, [mark, endUnitScript, stopScript, disarmScript].join('\n'), control);
}

/**
 * Starts the old master again, and checks whether the master answers. Repeats the check up to 90 times, about once a
 * second. Afterwards, no files of the move are left on its server.
 *
 * @throws OverworldError INSTALL_STEP_FAILED, SERVER_CONNECTION_LOST, or the signal's abort reason
 */
export async function startAgain(root: RootShell, control: Control): Promise<void> {
  await must(root, `rm -f ${HANDED_MARK}${startScript}`, control);
}

/**
 * How far an interrupted move has come on the new server: the new master has made decisions there (it need not run at
 * the moment), or it serves and may have made decisions, or neither.
 */
export type TakeOver = 'decided' | 'serves' | 'none';

/** Exit status of the script of {@link findTakeOver} for `decided`. */
const DECIDED = 3;

interface Sought {
  /** Host key of the master. */
  readonly hostKey: string;
  /** Whether the old server has recorded that the new master can start. */
  readonly isHanded: boolean;
  readonly signal: AbortSignal;
}

/**
 * Finds out whether the master with this host key has taken over on a server. If its unit is active, waits up to
 * about 90 s until it answers on its local socket.
 *
 * The new server gets the host key only together with a mark, and the new master removes the mark when it first makes
 * decisions. So a handed-over master without the mark has made decisions. If its unit is disabled, a person has gone
 * back to the old master.
 *
 * @throws OverworldError SERVER_CONNECTION_LOST, or the signal's abort reason
 */
export async function findTakeOver(
  { shell, sudo }: RootShell,
  { hostKey, isHanded, signal }: Sought,
): Promise<TakeOver> {
  const key = `ssh-keygen -l -f ${DATA_FOLDER}/${HOST_KEY} 2> /dev/null | cut -d ' ' -f 2`;
  const hasDecided = `[ ! -e ${DATA_FOLDER}/${MOVE_MARK_PATH} ] && systemctl is-enabled --quiet ${UNIT}`;
  const script = [
    `[ "$(${key})" = ${quote(hostKey)} ] || exit 1`,
    ...(isHanded ? [`if ${hasDecided}; then exit ${DECIDED}; fi`] : []),
    `systemctl is-active --quiet ${UNIT} || exit 1${waitScript}`,
  ];
  const { code } = await shell.run(script.join('\n'), { sudo, signal });
  if (code === DECIDED) return 'decided';
  return code === 0 ? 'serves' : 'none';
}

/**
 * Removes the marks of a move from a server. The marks are in a folder beside the data folder. Ignores the exit
 * status of the removal.
 *
 * @throws OverworldError SERVER_CONNECTION_LOST, or the signal's abort reason
 */
export async function forgetMove({ shell, sudo }: RootShell, signal: AbortSignal): Promise<void> {
  await shell.run(`rm -rf ${MOVE_FOLDER}`, { sudo, signal });
}

/** Runs a script. Throws if the script fails. */
async function must(
  { shell, sudo }: RootShell,
  script: string,
  { step, address, signal }: Control,
): Promise<void> {
  const { code, stdout, stderr } = await shell.run(script, { sudo, signal });
  if (code === 0) return;
  const why = reasonIn(stderr === '' ? stdout : stderr);
  throw new OverworldError('INSTALL_STEP_FAILED', { step, address, why });
}
