import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';

/** Name of the file with the digests of all artefacts. `sha256sum --check SHA256SUMS` verifies them. */
const sumsFile = 'SHA256SUMS';

/** Matches the files that people download. electron-builder also leaves its working files in the folder. */
const artefact = /\.(deb|rpm|AppImage|zip|tar\.gz|exe|dmg|cdx\.json)$/;

/**
 * Returns the names that belong to artefacts, in a fixed order.
 *
 * @param {readonly string[]} names
 */
export function artefactsAmong(names) {
  return names.filter((name) => artefact.test(name)).sort();
}

/**
 * Writes the SHA-256 of all artefacts in a folder into `SHA256SUMS`.
 *
 * @param {string} folder
 * @returns {Promise<number>} number of artefacts
 */
export async function writeSums(folder) {
  const names = artefactsAmong(await readdir(folder));
  const lines = [];
  for (const name of names) {
    const hash = createHash('sha256');
    await pipeline(createReadStream(join(folder, name)), hash);
    lines.push(`${hash.digest('hex')}  ${name}\n`);
  }
  await writeFile(join(folder, sumsFile), lines.join(''));
  return names.length;
}
