import { chmod, copyFile, mkdir, readdir, stat, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';

/**
 * A file of an artefact. Exactly one of `from`, `text`, `bytes` and `link` is set.
 *
 * @typedef {object} TreeFile
 * @property {string} path in the artefact, without a leading slash
 * @property {string} [from] file on this machine with its content, absolute
 * @property {string} [text] its content
 * @property {Uint8Array} [bytes] its content, if it is not text
 * @property {string} [link] target of a symbolic link
 * @property {number} [mode] permissions; default 0o644
 */

/**
 * Writes the files of an artefact into a folder. Modes do not depend on the umask or on the modes of the sources.
 *
 * @param {string} folder created; must be empty
 * @param {readonly TreeFile[]} files
 */
export async function writeTree(folder, files) {
  await mkdir(folder, { recursive: true });
  for (const { path, from, text, bytes, link, mode } of files) {
    const target = join(folder, path);
    await mkdir(dirname(target), { recursive: true });
    if (link !== undefined) {
      await symlink(link, target);
      continue;
    }
    if (from === undefined) await writeFile(target, bytes ?? text ?? '');
    else await copyFile(from, target);
    await chmod(target, mode ?? 0o644);
  }
  await chmod(folder, 0o755);
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    if (entry.isDirectory()) await chmod(join(entry.parentPath, entry.name), 0o755);
  }
}

/**
 * Lists a folder on this machine as files of an artefact, in a fixed order. Executables get mode 0755, other files
 * 0644.
 *
 * @param {string} folder absolute
 * @param {string} under folder in the artefact
 * @returns {Promise<TreeFile[]>}
 */
export async function listTree(folder, under) {
  const names = (await readdir(folder, { recursive: true })).sort();
  /** @type {TreeFile[]} */
  const files = [];
  for (const name of names) {
    const from = join(folder, name);
    const facts = await stat(from);
    if (!facts.isFile()) continue;
    files.push({ path: join(under, name), from, mode: (facts.mode & 0o100) === 0 ? 0o644 : 0o755 });
  }
  return files;
}
