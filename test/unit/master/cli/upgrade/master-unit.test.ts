import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFile, realpath, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { isSameFile } from '#master/cli/upgrade/master-unit.ts';
import { temporaryFolder } from '#test/support/temporary-folder.ts';

describe.runIf(process.platform === 'linux')('isSameFile', () => {
  it('tells a process that runs a program from a process that runs a replaced version of the program', async () => {
    const folder = temporaryFolder();
    const [program, next] = [join(folder, 'sh'), join(folder, 'next')];
    for (const path of [program, next]) await copyFile(await realpath('/bin/sh'), path);
    const running = spawn(program, ['-c', 'echo started; read line'], { stdio: ['pipe', 'pipe', 'inherit'] });
    onTestFinished(() => void running.kill('SIGKILL'));
    await once(running.stdout, 'data');
    const link = `/proc/${running.pid}/exe`;
    expect(await isSameFile(link, program)).toBe(true);
    await rename(next, program);
    expect(await isSameFile(link, program)).toBe(false);
  });

  it('is false if there is no process', async () => {
    expect(await isSameFile('/proc/0/exe', process.execPath)).toBe(false);
  });
});
