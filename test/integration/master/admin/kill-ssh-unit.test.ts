import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { killSshUnit } from '#master/admin/ssh-service/master-side/kill-unit.ts';
import { temporaryFolder } from '#test/support/temporary-folder.ts';

/** Creates files like those of the kernel, in which the unit of the SSH service contains these processes. */
async function cgroups(
  own: string,
  processes: string,
  hierarchy = '',
): Promise<{ own: string; root: string }> {
  const root = temporaryFolder();
  const group = join(root, hierarchy, 'system.slice/overworld-ssh.service');
  await mkdir(group, { recursive: true });
  await writeFile(join(group, 'cgroup.procs'), processes);
  await writeFile(join(root, 'own'), own);
  return { own: join(root, 'own'), root };
}

const MASTER = '/system.slice/overworld-master.service';

it.each([
  { version: 2, own: `0::${MASTER}\n`, hierarchy: '' },
  {
    version: 1,
    own: `12:cpu:/\n1:name=systemd:${MASTER}\n0::/other.slice/a.service\n`,
    hierarchy: 'systemd',
  },
])(
  "the master kills the processes of the SSH service's unit, but neither itself nor process 1 (control groups $version)",
  async ({ own, hierarchy }) => {
    const child = spawn(process.execPath, ['-e', 'setInterval(() => undefined, 1_000)'], { stdio: 'ignore' });
    onTestFinished(() => void child.kill('SIGKILL'));
    const exited = once(child, 'exit');
    const listed = `0\n1\n${process.pid}\n${child.pid}\n`;
    for (const elsewhere of ['0::/user.slice/session-1.scope\n', `12:cpu:${MASTER}\n`]) {
      expect(await killSshUnit(await cgroups(elsewhere, listed, hierarchy))).toBe(0);
    }
    expect(await killSshUnit(await cgroups(own, listed, hierarchy))).toBe(1);
    expect(await exited).toEqual([null, 'SIGKILL']);
  },
);
