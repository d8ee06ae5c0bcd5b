import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../paths.mjs';

/**
 * Returns those facts from package.json that are also stated in the project's packages.
 *
 * @returns {{ version: string, homepage: string, maintainer: string }} `maintainer`: `Name <address>`
 */
export function projectFacts() {
  /** @type {{ version: string, homepage: string, author: { name: string, email: string } }} */
  const { version, homepage, author } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  return { version, homepage, maintainer: `${author.name} <${author.email}>` };
}

/** Returns whether packages for other people are made: `OVERWORLD_RELEASE=1` (.github/workflows/release.yml). */
export function isRelease() {
  return process.env['OVERWORLD_RELEASE'] === '1';
}
