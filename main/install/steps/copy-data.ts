import { OverworldError } from '#shared/errors/overworld-error.ts';
import type { InstallStepName } from '#shared/ipc/contract.ts';
import { MOVE_MARK_PATH } from '#shared/move-mark.ts';
import { quote } from '#shared/text/shell.ts';
import type { StepControl } from '../job/job-parts.ts';
import {
  COPY_MARK,
  DATA_FOLDER,
  HANDED_MARK,
  HOST_KEY,
  MOVE_FOLDER,
  OPTIONS_FILE,
  STOPPED_MARK,
  WORK_FOLDER,
} from '../move-places.ts';
import type { ServerContact } from '../server/contact.ts';
import { copyStream } from '../server/copy-stream.ts';
import type { RootShell } from '../server/run-in-unit.ts';
import { failure, reasonIn } from './failure.ts';

/** Exit status of GNU tar if a file changed or was removed while tar read it. */
const CHANGED = 1;

/** The two servers of a move, and the step that copies data from one to the other. */
export interface Copying {
  readonly from: ServerContact;
  readonly to: ServerContact;
  readonly step: InstallStepName;
  readonly signal: AbortSignal;
}

/**
 * Returns a script that runs another script as the master's user, because root must not work in a folder of that
 * user.
 */
function asMaster(script: string): string {
  const user = '--reuid=overworld --regid=overworld --init-groups --no-new-privs';
  return `exec setpriv ${user} sh -c ${quote(`umask 077\n${script}`)}`;
}

/** Command that lets only one tar run at a time, because the tar of a broken connection may not have exited yet. */
const LOCK = `flock -w 60 ${WORK_FOLDER}/lock`;

/**
 * Options of tar that exclude the folder `run`, which belongs to one process of the master, and the host key, which
 * is copied last. Also exclude the folder `lost+found` of a disk that is mounted at the data folder or at one of its
 * subfolders, because only root can read it.
 */
const EXCLUDED = [
  // Without `--wildcards`: this option would also make tar leave out the entries of all folders.
  '--anchored --no-wildcards-match-slash',
  ...['./run', `./${HOST_KEY}`, './lost+found', './*/lost+found'].map((path) => `--exclude=${quote(path)}`),
].join(' ');

const SNAPSHOT = `${WORK_FOLDER}/snapshot`;
const EXACT = '--format=posix --pax-option=delete=atime,delete=ctime';
const SEND = `exec ${LOCK} tar --create --file=- ${EXACT} --listed-incremental=${SNAPSHOT} ${EXCLUDED} -C ${DATA_FOLDER} .`;
const RECEIVE = `exec ${LOCK} tar --extract --file=- --listed-incremental=/dev/null --preserve-permissions -C ${DATA_FOLDER}`;

/** Returns the command that the window shows for the copy. A person could type it on the old server. */
export function copyCommand(to: string): string {
  return `tar -C /var/lib -cpf - overworld | ssh ${to} tar -C /var/lib -xpf -`;
}

/**
 * Creates the folders of the move on both servers.
 *
 * @param isRunning whether the old master runs; if so, outdated marks of an earlier attempt are removed there
 * @throws OverworldError INSTALL_STEP_FAILED, SERVER_CONNECTION_LOST, or the signal's abort reason
 */
export async function prepareCopy({ from, to, step, signal }: Copying, isRunning: boolean): Promise<void> {
  const folders = [
    `install -d -o root -g root -m 755 ${MOVE_FOLDER}`,
    `install -d -o overworld -g overworld -m 700 ${WORK_FOLDER}`,
  ];
  const here = `[ -d ${DATA_FOLDER} ] || install -d -o overworld -g overworld -m 700 ${DATA_FOLDER}`;
  const outdated = isRunning ? [`rm -f ${STOPPED_MARK} ${HANDED_MARK}`] : [];
  await must(from, ['set -e', ...folders, ...outdated].join('\n'), { step, signal });
  await must(to, ['set -e', ...folders, `: > ${COPY_MARK}`, here].join('\n'), { step, signal });
}

/**
 * Copies the whole data folder except what {@link EXCLUDED} excludes. Removes files from the copy that the original
 * does not contain. The master may run meanwhile; {@link copyRest} then copies the files that it has changed.
 *
 * @param options.bytes expected size, for the progress
 * @returns number of bytes sent
 * @throws OverworldError INSTALL_STEP_FAILED, SERVER_CONNECTION_LOST, or the signal's abort reason
 */
export async function copyAll(
  control: StepControl,
  copying: Copying,
  { bytes, isRunning }: { readonly bytes: number; readonly isRunning: boolean },
): Promise<number> {
  return transfer(control, copying, {
    script: `rm -f ${SNAPSHOT}\n${SEND}`,
    total: bytes,
    changesAllowed: isRunning,
  });
}

/**
 * Copies the files that have changed since {@link copyAll}. The master must not run.
 *
 * @returns number of bytes sent
 * @throws OverworldError INSTALL_STEP_FAILED, SERVER_CONNECTION_LOST, or the signal's abort reason
 */
export async function copyRest(control: StepControl, copying: Copying): Promise<number> {
  return transfer(control, copying, { script: SEND, total: null, changesAllowed: false });
}

async function transfer(
  control: StepControl,
  { from, to, step, signal }: Copying,
  what: { readonly script: string; readonly total: number | null; readonly changesAllowed: boolean },
): Promise<number> {
  let bytes = 0;
  const { total } = what;
  const report = () => {
    if (total !== null) control.progress(Math.min(bytes, total), total);
  };
  report();
  const { sent, stored } = await copyStream(
    { root: from.root, script: asMaster(what.script) },
    { root: to.root, script: asMaster(RECEIVE) },
    {
      signal,
      onBytes: (more) => {
        bytes += more;
        report();
      },
    },
  );
  // A receiver that cannot write makes the sender fail, so the receiver's reason comes first.
  if (stored.code !== 0) throw failure({ step, address: to.address, output: stored.stderr });
  if (sent.code !== 0 && !(sent.code === CHANGED && what.changesAllowed)) {
    throw failure({ step, address: from.address, output: sent.stderr });
  }
  if (total !== null) control.progress(total, total);
  return bytes;
}

/**
 * Script that prints two digests: one of the names, types, modes, sizes, times and links in the data folder, and one
 * of the contents of `config/` and `state/`. Times are in whole seconds, because some file systems store no
 * fractions.
 */
const DIGESTS = asMaster(`cd ${DATA_FOLDER} || exit 1
find . -regextype posix-extended -regex '\\./(run|([^/]+/)?lost\\+found)' -prune \
  -o -path ./${HOST_KEY} -o -type s -o -type d -printf 'd %m %p\\0' \
  -o -printf '%y %m %s %T@ %l %p\\0' \
  | sed -z 's/^\\([^d] [0-7]* [0-9]* [0-9]*\\)\\.[0-9]*/\\1/' | sort -z | sha256sum
find config state -type f ! -path ${HOST_KEY} -print0 2> /dev/null | sort -z | xargs -0 -r sha256sum | sha256sum`);

/**
 * Verifies the copy of the data folder: names, modes, sizes, times and links of all files, and the contents of those
 * in `config/` and `state/`. Does not compare what {@link EXCLUDED} excludes. The master must not run.
 *
 * @throws OverworldError INSTALL_STEP_FAILED, SERVER_CONNECTION_LOST, or the signal's abort reason
 */
export async function verifyCopy({ from, to, step, signal }: Copying): Promise<void> {
  const options = { step, signal };
  const [theirs, ours] = await Promise.all([must(from, DIGESTS, options), must(to, DIGESTS, options)]);
  if (theirs === ours && theirs.trim().split('\n').length === 2) return;
  const why = `the copy of ${DATA_FOLDER} differs from that on ${from.address}`;
  throw new OverworldError('INSTALL_STEP_FAILED', { step, address: to.address, why });
}

/**
 * Writes the options file of the master on the new server. The file belongs to root.
 *
 * @throws OverworldError INSTALL_STEP_FAILED, SERVER_CONNECTION_LOST, or the signal's abort reason
 */
export async function writeOptions(options: string, { to, step, signal }: Copying): Promise<void> {
  const part = `${OPTIONS_FILE}.overworld-move`;
  const text = quote(Buffer.from(options).toString('base64'));
  const script = `set -e; printf %s ${text} | base64 -d > ${part}; chmod 644 ${part}; mv -f ${part} ${OPTIONS_FILE}`;
  await must(to, script, { step, signal });
}

/**
 * Copies the host key, without which the new master cannot start. The key passes through the app and is in no command
 * line. Also marks the copy as moved, so that the new master waits for its nodes.
 *
 * @throws OverworldError INSTALL_STEP_FAILED, SERVER_CONNECTION_LOST, or the signal's abort reason
 */
export async function copyHostKey({ from, to, step, signal }: Copying): Promise<void> {
  const { sent, stored } = await copyStream(
    { root: from.root, script: asMaster(`exec tar --create --file=- -C ${DATA_FOLDER} ${HOST_KEY}`) },
    {
      root: to.root,
      script: asMaster(
        `: > ${DATA_FOLDER}/${MOVE_MARK_PATH} && exec tar --extract --file=- --preserve-permissions -C ${DATA_FOLDER}`,
      ),
    },
    { signal },
  );
  if (stored.code !== 0) throw failure({ step, address: to.address, output: stored.stderr });
  if (sent.code !== 0) throw failure({ step, address: from.address, output: sent.stderr });
}

/** Runs a script as root. Throws if the script fails. @returns the output of the script */
async function must(
  { address, root }: { readonly address: string; readonly root: RootShell },
  script: string,
  { step, signal }: Pick<Copying, 'step' | 'signal'>,
): Promise<string> {
  const { code, stdout, stderr } = await root.shell.run(script, { sudo: root.sudo, signal });
  if (code === 0) return stdout;
  const why = reasonIn(stderr === '' ? stdout : stderr);
  throw new OverworldError('INSTALL_STEP_FAILED', { step, address, why });
}
