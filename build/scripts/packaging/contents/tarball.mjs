import { lastLines, run } from '../../run.mjs';
import { SetupError } from '../../steps.mjs';

/**
 * Packs a folder into a `.tar.gz`. The same content gives the same bytes: files are sorted, owned by root, and have one
 * time. Needs GNU tar and gzip.
 *
 * @param {string} parent folder that contains the folder to pack
 * @param {string} name name of the folder to pack; also the top folder in the archive, unless `as` is given
 * @param {string} out path of the archive
 * @param {{ dateS: number, as?: string }} options `dateS`: time of all files (Unix time, s); `as`: name of the folder
 *   in the archive, if it differs
 * @throws {SetupError}
 */
export async function makeTarball(parent, name, out, { dateS, as = name }) {
  const { code, output } = await run('tar', [
    ...['--create', '--file', out, '--directory', parent, '--format=gnu', '--sort=name'],
    ...[`--mtime=@${dateS}`, '--owner=root:0', '--group=root:0'],
    // Without `-n`, gzip would store the current time.
    '--use-compress-program=gzip -n -9',
    // The modes do not depend on this machine's umask. Flag r: targets of links are not renamed.
    ...['--mode=u+rw,go+rX,go-w', `--transform=flags=r;s,^${name},${as},`],
    name,
  ]);
  if (code !== 0) throw new SetupError(`${out} could not be written (${lastLines(output)}).`);
}
