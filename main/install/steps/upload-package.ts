import { createReadStream } from 'node:fs';
import { OverworldError } from '#shared/errors/overworld-error.ts';
import { quote } from '#shared/text/shell.ts';
import type { StepControl } from '../job/job-parts.ts';
import type { LocalPackage } from '../package/find-package.ts';
import { OLD_MINUTES, ROOT_FOLDER, type RootShell } from '../server/run-in-unit.ts';
import { failure } from './failure.ts';

/** Size of the pieces in which the package is read (bytes). */
const CHUNK_BYTES = 256 * 1_024;

/** Size of the blocks that dd writes on the server (bytes). */
const BLOCK_BYTES = 65_536;

/** Matches the path of the folder for uploads. Its name ends with the numeric id of the user who has logged in. */
const UPLOAD_FOLDER = /^\/var\/tmp\/overworld-\d+$/;

interface Upload {
  readonly local: LocalPackage;
  readonly root: RootShell;
  /** `host:port`, for messages. */
  readonly address: string;
  readonly signal: AbortSignal;
}

/**
 * Uploads a package and verifies it on the server. Continues an upload that was interrupted.
 *
 * The upload goes to a folder that only the user who has logged in can use. Root copies the package to a folder that
 * only root can change, and verifies the copy. So no other user can replace the package before it is installed.
 *
 * @returns path of the verified package on the server
 * @throws OverworldError UPLOAD_DAMAGED, INSTALL_STEP_FAILED, SERVER_CONNECTION_LOST
 */
export async function uploadPackage(step: StepControl, upload: Upload): Promise<string> {
  const { local, root, address, signal } = upload;
  const { shell, sudo } = root;
  const target = `${ROOT_FOLDER}/${local.file}`;
  // The new time of the file shows other jobs that it is needed.
  const kept = await shell.run(`sha256sum < ${quote(target)} && touch ${quote(target)}`, { sudo, signal });
  if (kept.stdout.startsWith(local.sha256)) {
    step.unchanged(`${local.file} is already there.`);
    return target;
  }
  const prepared = await shell.run(prepareScript(local.sha256), { sudo: null, signal });
  const [folder = '', size = ''] = prepared.stdout.trim().split('\n');
  // The window shows the path in a command to copy, so a server must not choose it.
  if (prepared.code !== 0 || !UPLOAD_FOLDER.test(folder)) {
    throw failure({ step: 'upload', address, output: prepared.stderr });
  }
  const part = `${folder}/${local.sha256}.deb.part`;
  const from = startOf(Number(size), local.bytes);
  step.command(`scp ${local.file} ${address}:${part}`);
  if (from < local.bytes) await send(step, upload, { part, from });

  const verified = await shell.run(verifyScript({ part, target, sha256: local.sha256 }), { sudo, signal });
  const [verdict = '', found = ''] = verified.stdout.trim().split(' ');
  if (verdict === 'damaged') {
    throw new OverworldError('UPLOAD_DAMAGED', { file: local.file, address, expected: local.sha256, found });
  }
  if (verdict !== 'verified') throw failure({ step: 'upload', address, output: verified.stderr });
  const resumed = from > 0 ? ` Continued at ${bytesToMb(from)} MB.` : '';
  step.detail(`${local.file}, ${bytesToMb(local.bytes)} MB, SHA-256 verified there.${resumed}`);
  return target;
}

/**
 * Returns the position at which the upload continues (bytes). Returns 0 for a partial file that is longer than the
 * package, because it does not belong to the package.
 */
function startOf(size: number, bytes: number): number {
  return Number.isSafeInteger(size) && size >= 0 && size <= bytes ? size : 0;
}

async function send(
  step: StepControl,
  { local, root, address, signal }: Upload,
  { part, from }: { readonly part: string; readonly from: number },
): Promise<void> {
  let sent = from;
  step.progress(sent, local.bytes);
  const stream = createReadStream(local.path, { start: from, highWaterMark: CHUNK_BYTES });
  // Writes at a position instead of appending. The dd of a broken connection may still write the last bytes that it
  // received. Then both dd processes write the same bytes to the same place.
  const where = from === 0 ? '' : `oflag=seek_bytes conv=notrunc seek=${from} `;
  const script = `exec dd bs=${BLOCK_BYTES} iflag=fullblock status=none ${where}of=${quote(part)}`;
  const { code, stderr } = await root.shell.feed(script, stream, {
    sudo: null,
    signal,
    onSent: (bytes) => {
      sent += bytes;
      step.progress(sent, local.bytes);
    },
  });
  if (code !== 0) throw failure({ step: 'upload', address, output: stderr });
}

/**
 * Returns a script that creates the folder, removes other old files from it, and prints the folder's path and the
 * size of the partial file.
 */
function prepareScript(sha256: string): string {
  return [
    'umask 077',
    'folder=/var/tmp/overworld-$(id -u)',
    'mkdir -m 700 "$folder" 2> /dev/null',
    // Every user may write to /var/tmp, so another user may have prepared the folder or a link in its place.
    'if [ -L "$folder" ] || [ ! -d "$folder" ] || [ ! -O "$folder" ]; then',
    '  echo "$folder belongs to another user; remove it" >&2',
    '  exit 1',
    'fi',
    'chmod 700 "$folder" || exit 1',
    // Younger files may belong to another job of this user, which runs at the same time.
    `find "$folder" -mindepth 1 ! -name ${quote(`${sha256}.deb.part`)} -mmin +${OLD_MINUTES} -delete`,
    'echo "$folder"',
    `stat -c %s "$folder"/${quote(`${sha256}.deb.part`)} 2> /dev/null || echo 0`,
  ].join('\n');
}

/**
 * Returns a script that copies the partial file into root's folder. It prints `verified`, or `damaged` and the
 * digest.
 */
function verifyScript(paths: {
  readonly part: string;
  readonly target: string;
  readonly sha256: string;
}): string {
  const [part, target, sha256] = [paths.part, paths.target, paths.sha256].map(quote);
  // Another job may copy the same package at the same time.
  const copy = `${target}.$$.part`;
  return [
    'set -e',
    `install -d -o root -g root -m 755 ${ROOT_FOLDER}`,
    // Younger files may belong to another job, which runs at the same time.
    `find ${ROOT_FOLDER} -mindepth 1 \\( -name '*.deb' -o -name '*.part' \\) -mmin +${OLD_MINUTES} -delete`,
    `digest() { sha256sum < "$1" 2> /dev/null | cut -d ' ' -f 1; }`,
    // Another job has verified the same package, and has removed the partial file.
    `if [ ! -e ${part} ] && [ -f ${target} ] && [ "$(digest ${target})" = ${sha256} ]; then echo verified; exit 0; fi`,
    `cp --no-dereference --no-preserve=all ${part} ${copy}`,
    // The partial file may have been replaced with a link. Its copy is then also a link. A link is refused, because
    // its target could change after this check.
    `if [ -L ${copy} ] || [ ! -f ${copy} ]; then rm -f ${copy}; echo 'the package is not a file' >&2; exit 1; fi`,
    `sum=$(digest ${copy})`,
    `rm -f ${part}`,
    `if [ "$sum" = ${sha256} ]; then`,
    `  mv ${copy} ${target}`,
    '  echo verified',
    'else',
    `  rm -f ${copy}`,
    '  echo "damaged $sum"',
    'fi',
  ].join('\n');
}

function bytesToMb(bytes: number): string {
  return (bytes / 1_000_000).toFixed(1);
}
