import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { dist, practiceProxyJar, practiceServerJar, root } from '../../paths.mjs';
import { noticeText, bundledPackages } from '../contents/bundled-packages.mjs';
import { debShellFiles, tarballCompletions } from './shell-files.mjs';

/** @typedef {import('../contents/tree.mjs').TreeFile} TreeFile */

/** Folder with files that are packed without changes. */
const sources = join(root, 'build', 'packaging', 'overworld-master');

/** Folder of the program on a server. The unit and the command contain this path. */
const home = 'usr/lib/overworld-master';

/** Units of the master, and of its backups. */
const units = [
  'overworld-master.service',
  'overworld-master-backup.service',
  'overworld-master-backup.timer',
];

/** Returns the npm packages in the master's bundle. */
export function masterPackages() {
  return bundledPackages([join(dist, 'master', 'master.js.map')]);
}

/**
 * Returns the files of the tarball, relative to its folder: the program, and the files that `overworld-master
 * install` copies to other folders.
 *
 * @param {string} node folder of a Node.js with `bin/node` and `LICENSE`
 * @returns {TreeFile[]}
 */
export function tarballFiles(node) {
  return [
    ...programFiles(node),
    ...tarballCompletions(),
    { path: 'overworld-master.1', from: join(dist, 'master', 'overworld-master.1') },
    { path: 'system/overworld-master.conf', from: join(sources, 'sysusers.conf') },
    ...units.map((name) => ({ path: `system/${name}`, from: join(sources, name) })),
  ];
}

/**
 * Returns the files of the program, relative to its folder.
 *
 * @param {string} node folder of a Node.js with `bin/node` and `LICENSE`
 * @returns {TreeFile[]}
 */
function programFiles(node) {
  const bundle = join(dist, 'master');
  return [
    { path: 'LICENSE', from: join(root, 'LICENSE') },
    { path: 'LICENSE.nodejs', from: join(node, 'LICENSE') },
    { path: 'NOTICE', text: noticeText("The master's program", masterPackages()) },
    { path: 'bin/node', from: join(node, 'bin', 'node'), mode: 0o755 },
    { path: 'bin/overworld-master', from: join(sources, 'overworld-master'), mode: 0o755 },
    { path: 'index.js', from: join(bundle, 'index.js') },
    { path: 'master.js', from: join(bundle, 'master.js') },
    { path: 'overworld-ssh.service', from: join(sources, 'overworld-ssh.service') },
    { path: 'overworld.jar', from: join(bundle, 'overworld.jar') },
    { path: 'package.json', from: join(bundle, 'package.json') },
    { path: 'practice-proxy.jar', from: practiceProxyJar },
    { path: 'practice-server.jar', from: practiceServerJar },
  ];
}

/**
 * Returns the files of the Debian package.
 *
 * @param {string} node folder of a Node.js with `bin/node` and `LICENSE`
 * @returns {{ files: TreeFile[], scripts: TreeFile[] }}
 */
export function debFiles(node) {
  const program = programFiles(node).map((file) => ({ ...file, path: `${home}/${file.path}` }));
  return {
    files: [
      ...program,
      ...debShellFiles(),
      { path: 'usr/bin/overworld-master', link: '../lib/overworld-master/bin/overworld-master' },
      ...units.map((name) => ({ path: `usr/lib/systemd/system/${name}`, from: join(sources, name) })),
      { path: 'usr/lib/sysusers.d/overworld-master.conf', from: join(sources, 'sysusers.conf') },
      { path: 'usr/share/doc/overworld-master/copyright', text: copyright() },
    ],
    scripts: ['postinst', 'prerm', 'postrm'].map((name) => ({
      path: name,
      from: join(sources, name),
      mode: 0o755,
    })),
  };
}

/** Returns the package's `copyright`. */
function copyright() {
  const license = readFileSync(join(root, 'LICENSE'), 'utf8').trim();
  return `${license}\n\nLicences of the software in this package: /${home}/NOTICE and /${home}/LICENSE.nodejs\n`;
}
