import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { dist } from '../../paths.mjs';

/** @typedef {import('../contents/tree.mjs').TreeFile} TreeFile */

/**
 * Completion scripts. Each row has the shell, the file's name in the tarball, and the path in a Debian package at which
 * the shell finds the script.
 *
 * @type {readonly (readonly [shell: string, name: string, debPath: string])[]}
 */
const completions = [
  ['bash', 'overworld-master.bash', 'usr/share/bash-completion/completions/overworld-master'],
  ['zsh', '_overworld-master', 'usr/share/zsh/vendor-completions/_overworld-master'],
  ['fish', 'overworld-master.fish', 'usr/share/fish/vendor_completions.d/overworld-master.fish'],
];

/**
 * Returns the completion scripts of the tarball. The built program prints them.
 *
 * @returns {TreeFile[]}
 */
export function tarballCompletions() {
  return completions.map(([shell, name]) => ({ path: `completions/${name}`, text: completionScript(shell) }));
}

/**
 * Returns completion scripts and manual page at their places in a Debian package.
 *
 * @returns {TreeFile[]}
 */
export function debShellFiles() {
  const page = readFileSync(join(dist, 'master', 'overworld-master.1'));
  return [
    ...completions.map(([shell, , path]) => ({ path, text: completionScript(shell) })),
    // As from `gzip -n -9`: without a name and a time, so that the same page gives the same bytes.
    { path: 'usr/share/man/man1/overworld-master.1.gz', bytes: gzipSync(page, { level: 9 }) },
  ];
}

/** @param {string} shell */
function completionScript(shell) {
  const program = join(dist, 'master', 'index.js');
  return execFileSync(process.execPath, [program, 'completion', shell], { encoding: 'utf8' });
}
