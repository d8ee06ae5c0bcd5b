import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../../paths.mjs';

/**
 * An npm package whose code is in a bundle.
 *
 * @typedef {object} BundledPackage
 * @property {string} name
 * @property {string} version
 * @property {string} license SPDX expression; empty if the package states none
 * @property {string} folder absolute
 */

/**
 * Returns the packages whose code is in bundles. package.json does not tell which packages are shipped: all are
 * devDependencies, because only the bundles are shipped (docs/adr/0005). So this function reads the source maps of
 * the bundles.
 *
 * @param {readonly string[]} maps source maps, absolute paths
 * @returns {BundledPackage[]} sorted by name and version
 */
export function bundledPackages(maps) {
  const folders = new Set(
    maps.flatMap((map) => {
      /** @type {{ sources: readonly string[] }} */
      const { sources } = JSON.parse(readFileSync(map, 'utf8'));
      return sources.flatMap((source) => packageFolder(source) ?? []);
    }),
  );
  const packages = [...folders].map((relative) => {
    const folder = join(root, relative);
    /** @type {{ name: string, version: string, license?: string }} */
    const manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
    const { name, version, license = '' } = manifest;
    return { name, version, license, folder };
  });
  const key = (/** @type {BundledPackage} */ one) => `${one.name}@${one.version}`;
  const unique = new Map(packages.map((one) => [key(one), one]));
  return [...unique.values()].sort((a, b) => (key(a) < key(b) ? -1 : 1));
}

/**
 * Returns the folder of the package that a source file belongs to, relative to the project's folder. Null if the file
 * is one of the project's own. A source map may be moved after it was written, so the path before `node_modules` has no
 * meaning.
 *
 * @param {string} source path in a source map
 */
export function packageFolder(source) {
  // Greedy, because packages may contain packages.
  return /node_modules\/(?:.*\/node_modules\/)?(?:@[^/]+\/)?[^/]+/.exec(source)?.[0] ?? null;
}

/**
 * Returns the text of NOTICE: the licences of all packages in an artefact. Most licences require this text.
 *
 * @param {string} product name of the artefact's program
 * @param {readonly BundledPackage[]} packages
 */
export function noticeText(product, packages) {
  const parts = packages.map(({ name, version, license, folder }) => {
    const texts = readdirSync(folder)
      .filter((file) => /^(licen[cs]e|notice|copying)/i.test(file))
      .sort()
      .map((file) => readFileSync(join(folder, file), 'utf8').trim());
    return [`${name} ${version} (${license})`, ...texts].join('\n\n');
  });
  const line = `\n\n${'-'.repeat(80)}\n\n`;
  return `${[`${product} contains the following software.`, ...parts].join(line)}\n`;
}
