import { createReadStream } from 'node:fs';
import { OverworldError } from '#shared/errors/overworld-error.ts';
import { quote } from '#shared/text/shell.ts';
import type { StepControl } from '../job/job-parts.ts';
import type { LocalPackage } from '../package/find-package.ts';
import { ROOT_FOLDER, type RootShell } from '../server/run-in-unit.ts';
import { failure } from './failure.ts';

/** Bytes that are read from the package at once. */
const CHUNK_BYTES = 256 * 1_024;

/** Bytes that dd writes at once on the server. */
const BLOCK_BYTES = 65_536;

/** The folder for uploads, by the number of the user who has logged in. */
const UPLOAD_FOLDER = /^\/var\/tmp\/overworld-\d+$/;

interface Upload {
  readonly local: LocalPackage;
  readonly root: RootShell;
  /** `host:port`, for messages. */
  readonly address: string;
  readonly signal: AbortSignal;
}

/**
 * Uploads a package and verifies it on the server. An upload that was cut off is continued.
 *
 * The upload goes to a folder that only the user who has logged in can use. Root copies it to a folder that only root can
 * change, and verifies the copy: so no other user can replace it before it is installed.
 *
 * @returns path of the verified package on the server
 * @throws OverworldError UPLOAD_DAMAGED, INSTALL_STEP_FAILED, SERVER_CONNECTION_LOST
 */
export async function uploadPackage(step: StepControl, upload: Upload): Promise<string> {
  const { local, root, address, signal } = upload;
  const { shell, sudo } = root;
  const target = `${ROOT_FOLDER}/${local.file}`;
  const kept = await shell.run(`sha256sum < ${quote(target)}`, { sudo, signal });
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

/** Returns the byte to continue at. A part that is longer than the package does not belong to it. */
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
  // Writes at a position instead of appending: if the program of a broken connection still writes the last bytes that it
  // got, both write the same bytes to the same place.
  const where = from === 0 ? '' : `oflag=seek_bytes conv=notrunc seek=${from} `;
  const script = `exec dd bs=${BLOCK_BYTES} iflag=fullblock status=none ${where}of=${quote(part)}`;
  const { code, stderr } = await root.shell.feed(script, stream, {
    ...{ sudo: null, signal },
    onSent: (bytes) => {
      sent += bytes;
      step.progress(sent, local.bytes);
    },
  });
  if (code !== 0) throw failure({ step: 'upload', address, output: stderr });
}

/** Creates the folder, removes other parts from it, and prints its path and the size of the part. */
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
    `find "$folder" -mindepth 1 ! -name ${quote(`${sha256}.deb.part`)} -delete`,
    'echo "$folder"',
    `stat -c %s "$folder"/${quote(`${sha256}.deb.part`)} 2> /dev/null || echo 0`,
  ].join('\n');
}

/** Copies the part into root's folder, and prints `verified`, or `damaged` and the digest. */
function verifyScript(paths: {
  readonly part: string;
  readonly target: string;
  readonly sha256: string;
}): string {
  const [part, target, copy] = [paths.part, paths.target, `${paths.target}.part`].map(quote);
  return [
    'set -e',
    `install -d -o root -g root -m 755 ${ROOT_FOLDER}`,
    `rm -f ${ROOT_FOLDER}/*.deb ${copy}`,
    `cp --no-dereference --no-preserve=all ${part} ${copy}`,
    // The part may be a link by now; its target could change after this check.
    `if [ -L ${copy} ] || [ ! -f ${copy} ]; then rm -f ${copy}; echo 'the package is not a file' >&2; exit 1; fi`,
    `sum=$(sha256sum < ${copy} | cut -d ' ' -f 1)`,
    `rm -f ${part}`,
    `if [ "$sum" = ${quote(paths.sha256)} ]; then`,
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
