import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, it, onTestFinished, vi } from 'vitest';
import { openSettings } from '#master/backup/settings.ts';
import { openStatus } from '#master/backup/status-file.ts';
import type { Finding } from '#master/doctor/finding.ts';
import { MasterProcess } from '#test/support/master/master-process.ts';
import { printedBy } from '#test/support/master/command-line.ts';
import { temporaryFolder } from '#test/support/temporary-folder.ts';

let data: string;
let bin: string;

beforeEach(() => {
  data = temporaryFolder();
  mkdirSync(join(data, 'config'));
  bin = temporaryFolder();
  vi.stubEnv('PATH', `${bin}:${process.env['PATH'] ?? ''}`);
  vi.stubEnv('HOME', temporaryFolder());
  vi.stubEnv('OVERWORLD_DATA', undefined);
  onTestFinished(() => void vi.unstubAllEnvs());
});

/** Puts a program into PATH. */
function program(name: string, script: string): string {
  writeFileSync(join(bin, name), `#!/bin/sh\n${script}\n`);
  chmodSync(join(bin, name), 0o755);
  return join(bin, name);
}

/** Puts a `systemctl` into PATH that prints a unit of the master with this Node.js and the data folder. */
function installUnit(node: string, args = ''): void {
  const argv = `${node} /opt/overworld-master/index.js run --data ${data} ${args}`.trim();
  program(
    'systemctl',
    `cat <<'END'
MainPID=0
ExecStart={ path=${node} ; argv[]=${argv} ; ignore_errors=no ; start_time=[n/a] ; stop_time=[n/a] ; pid=0 ; code=(null) ; status=0/0 }
LoadState=loaded
ActiveState=failed
SubState=failed
ExecMainStatus=1
User=
END`,
  );
}

async function doctor(...args: readonly string[]): Promise<{ code: number; findings: Finding[] }> {
  const { code, text } = await printedBy(['doctor', '--json', ...args]);
  return { code, findings: JSON.parse(text) as Finding[] };
}

it('the doctor fails if the systemd unit starts the master with a Node.js version that is too old', async () => {
  installUnit(program('node', 'echo v18.19.0'));
  const { code, findings } = await doctor();
  expect(code).toBe(1);
  expect(findings.find(({ check }) => check === 'Node.js')).toMatchObject({
    verdict: 'bad',
    found: `The unit overworld-master starts the master with ${join(bin, 'node')}, which is version 18.19.0.`,
  });
});

it("without --data, commands use the data folder of the systemd unit, and the doctor checks the unit's Node.js", async () => {
  installUnit(process.execPath);
  expect((await printedBy(['status'])).text).toBe(
    `No master is running on the data folder ${data}: its unit overworld-master failed with exit code 1. See why with: journalctl -u overworld-master -n 20. Start it with: systemctl start overworld-master\n`,
  );
  expect((await doctor()).findings.find(({ check }) => check === 'Node.js')).toMatchObject({ verdict: 'ok' });
});

it('the doctor warns if the unit of the master was changed and the unit of its SSH service was not', async () => {
  const changed = '/etc/systemd/system/overworld-master.service.d/override.conf';
  const install = (args: string, ofSsh: string): void => {
    installUnit(process.execPath, args);
    const show = readFileSync(join(bin, 'systemctl'), 'utf8').replace('#!/bin/sh\n', '');
    program(
      'systemctl',
      `case "$*" in
  *overworld-master.service*DropInPaths*) echo '${changed}' ;;
  *overworld-ssh.service*DropInPaths*) echo '${ofSsh}' ;;
  *) ${show} ;;
esac`,
    );
  };
  const checked = async () => (await doctor()).findings.find(({ check }) => check === 'SSH');
  install('--ssh-service /run/overworld-ssh/master.sock', '');
  expect(await checked()).toMatchObject({
    verdict: 'warning',
    found: `The unit overworld-master was changed (${changed}), but not overworld-ssh, which serves SSH and files.`,
  });
  install(
    '--ssh-service /run/overworld-ssh/master.sock',
    '/etc/systemd/system/overworld-ssh.service.d/override.conf',
  );
  expect(await checked()).toMatchObject({ verdict: 'ok' });
  install('--no-local', '');
  expect(await checked()).toBeUndefined();
});

it('the doctor warns if backups are scheduled, but their timer is not enabled on this machine', async () => {
  installUnit(process.execPath);
  const show = readFileSync(join(bin, 'systemctl'), 'utf8').replace('#!/bin/sh\n', '');
  const setTimer = (code: number): void =>
    void program(
      'systemctl',
      `case "$*" in 'is-enabled overworld-master-backup.timer') exit ${code} ;; esac\n${show}`,
    );
  program('restic', '');
  const settings = await openSettings(data);
  const retention = { last: 3, daily: 14, weekly: 8 };
  const now = Date.now();
  await settings.update(() => ({ repository: '/mnt/b', retention, schedule: 'weekly', scheduledAt: now }));
  const sizes = { durationMs: 1, files: 1, bytes: 1, addedBytes: 1 };
  const status = await openStatus(data);
  await status.update((before) => ({
    ...before,
    lastComplete: { ...sizes, id: '0123abcd', at: now, remarks: [] },
  }));
  const checked = async () => (await doctor()).findings.find(({ check }) => check === 'backup');
  setTimer(1);
  expect(await checked()).toMatchObject({
    verdict: 'warning',
    found: expect.stringContaining('their timer is not enabled on this machine') as string,
    advice: 'Schedule them here, as root: overworld-master backup schedule weekly.',
  });
  setTimer(0);
  expect(await checked()).toMatchObject({
    verdict: 'ok',
    found: expect.stringContaining('Backups are made weekly.') as string,
  });
});

it('the doctor ignores a systemd unit with another data folder', async () => {
  installUnit(program('node', 'echo v18.19.0'));
  const other = temporaryFolder();
  mkdirSync(join(other, 'config'));
  const { findings } = await doctor('--data', other);
  expect(findings.find(({ check }) => check === 'Node.js')?.found).toContain('there is no unit');
});

it('the doctor checks the process of the running master', async () => {
  const master = new MasterProcess(temporaryFolder(), { from: 27_390, to: 27_399 });
  onTestFinished(() => master.shutDown());
  await master.start();
  const { findings } = await doctor('--data', master.data);
  expect(findings.find(({ check }) => check === 'Node.js')).toMatchObject({
    verdict: 'ok',
    found: `The running master (process ${master.pid}) uses ${process.execPath}, version ${process.versions.node}.`,
  });
  expect(findings.find(({ check }) => check === 'rights')).toMatchObject({ verdict: 'ok' });
});
