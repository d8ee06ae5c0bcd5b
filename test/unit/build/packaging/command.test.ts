import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { temporaryFolder } from '#test/support/temporary-folder.ts';

const SCRIPT = fileURLToPath(
  new URL('../../../../build/packaging/overworld-master/overworld-master', import.meta.url),
);

/** Runs the packaged command with fakes of the programs that it starts. Returns the start of Node.js that it makes. */
function startOf(uid: number, args: readonly string[], env: Readonly<Record<string, string>> = {}): string {
  const folder = temporaryFolder();
  const bin = join(folder, 'bin');
  mkdirSync(bin);
  cpSync(SCRIPT, join(bin, 'overworld-master'));
  for (const [name, text] of [
    ['id', `echo ${uid}`],
    ['getent', 'exit 0'],
    ['setpriv', 'shift 3\nexec "$@"'],
    ['node', 'shift\necho "$* in ${OVERWORLD_DATA-the folder that it finds}, HOME=$HOME"'],
  ] as const) {
    writeFileSync(join(bin, name), `#!/bin/sh\n${text}\n`, { mode: 0o755 });
  }
  const path = `${bin}:${process.env['PATH'] ?? ''}`;
  const { stdout, stderr } = spawnSync('sh', [join(bin, 'overworld-master'), ...args], {
    encoding: 'utf8',
    env: { PATH: path, HOME: '/home/anna', ...env },
  });
  return stdout + stderr;
}

it('the packaged command of another user leaves the data folder to the program', () => {
  expect(startOf(1000, ['status'])).toBe('status in the folder that it finds, HOME=/home/anna\n');
  expect(startOf(1000, ['run'])).toBe('run in the folder that it finds, HOME=/home/anna\n');
});

it("root's packaged command finds the folder of the unit, and creates a new one only in /var/lib/overworld", () => {
  const home = 'HOME=/var/lib/overworld/backup\n';
  expect(startOf(0, ['status'])).toBe(`status in the folder that it finds, ${home}`);
  expect(startOf(0, ['init', '--json'])).toBe(`init --json in /var/lib/overworld, ${home}`);
  expect(startOf(0, ['run'])).toBe(`run in /var/lib/overworld, ${home}`);
  expect(startOf(0, ['init'], { OVERWORLD_DATA: '/srv/ow' })).toBe(`init in /srv/ow, ${home}`);
  expect(startOf(0, ['install'])).toBe('install in the folder that it finds, HOME=/home/anna\n');
});
