import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { killSshUnit } from '#master/admin/ssh-service/master-side/kill-unit.ts';
import { temporaryFolder } from '#test/support/temporary-folder.ts';

/** Files like those of the kernel, in which the unit of the SSH service has these processes. */
async function cgroups(own: string, processes: string): Promise<{ own: string; root: string }> {
  const root = temporaryFolder();
  await mkdir(join(root, 'system.slice/overworld-ssh.service'), { recursive: true });
  await writeFile(join(root, 'system.slice/overworld-ssh.service/cgroup.procs'), processes);
  await writeFile(join(root, 'own'), own);
  return { own: join(root, 'own'), root };
}

it('killSshUnit kills the processes in the unit of the SSH service, but never itself', async () => {
  const child = spawn(process.execPath, ['-e', 'setInterval(() => undefined, 1_000)'], { stdio: 'ignore' });
  onTestFinished(() => void child.kill('SIGKILL'));
  const exited = once(child, 'exit');
  const listed = `0\n1\n${process.pid}\n${child.pid}\n`;
  const elsewhere = await cgroups('0::/user.slice/session-1.scope\n', listed);
  expect(await killSshUnit(elsewhere)).toBe(0);
  expect(await killSshUnit(await cgroups('12:cpu:/system.slice/overworld-master.service\n', listed))).toBe(0);
  expect(await killSshUnit(await cgroups('0::/system.slice/overworld-master.service\n', listed))).toBe(1);
  expect(await exited).toEqual([null, 'SIGKILL']);
});
