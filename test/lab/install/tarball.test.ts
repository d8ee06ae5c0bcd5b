import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, it } from 'vitest';
import { VERSION } from '#shared/version.ts';
import { writeTree } from '../../../build/scripts/packaging/contents/tree.mjs';
import { tarballFiles } from '../../../build/scripts/packaging/master/layout.mjs';
import { ensureNodeRuntime, hostArch } from '../../../build/scripts/packaging/master/node-runtime.mjs';
import { makePerson } from '../../support/master/admin-master.ts';
import { sharedLab } from '../kit/lab.ts';
import type { LabNode } from '../kit/node.ts';
import { install, pidOf, roleOf, unchanged } from './installation.ts';
import { nightly } from '../kit/nightly.ts';

const lab = sharedLab();
const anna = makePerson('anna');
const unpacked = '/root/overworld-master/bin/overworld-master';
const installed = '/usr/local/bin/overworld-master';
let node: LabNode;
/** Duration of a whole installation (ms). */
let durationMs = 0;

/** Boots a node with the unpacked program. */
async function bootWithProgram(): Promise<LabNode> {
  const booted = await lab.boot();
  const folder = join(booted.root, 'root/overworld-master');
  mkdirSync(folder);
  await writeTree(folder, tarballFiles(await ensureNodeRuntime(hostArch() ?? 'amd64')));
  await booted.must('systemctl is-system-running --wait || true');
  return booted;
}

beforeAll(async () => {
  node = await bootWithProgram();
});

it('`install` copies the unpacked program, creates a user and a systemd unit, and starts the master', async () => {
  expect((await node.run(`${unpacked} status`)).stderr).toContain('overworld-master install');
  const began = performance.now();
  const { code, steps, result } = await install(
    node,
    `--owner-key "${anna.publicKey}"`,
    `umask 077; ${unpacked}`,
  );
  durationMs = performance.now() - began;
  expect([code, ...steps]).toEqual([
    0,
    ...['program', 'user', 'data', 'key', 'configuration', 'owner', 'start'].map((step) => `${step} done`),
  ]);
  expect(await roleOf(anna, { ...result, host: node.address })).toBe('owner');
  expect(await node.must('systemctl show overworld-master -p User --value')).toBe('overworld');
  expect(await node.must(`${installed} status`)).toContain(VERSION);
  const links = await node.must("find /usr/local -lname '/usr/lib/overworld-master/*' | sort");
  expect(links.split('\n')).toHaveLength(5);
  await node.must(`runuser -u nobody -- cat ${links.replaceAll('\n', ' ')} > /dev/null`);
});

it('a second `install` changes nothing, from the unpacked program and from the installed program', async () => {
  const pid = await pidOf(node);
  const steps = unchanged('user', 'data', 'key', 'configuration', 'owner', 'start');
  expect((await install(node, '', installed)).steps).toEqual(steps);
  expect((await install(node, '', unpacked)).steps).toEqual(['program unchanged', ...steps]);
  expect(await pidOf(node)).toBe(pid);
});

it('`backup schedule off` does nothing if backups were never scheduled', async () => {
  expect((await node.run(`${installed} backup schedule off`)).code).toBe(0);
});

it('`install` replaces a damaged program of the same version, but no program of another version', async () => {
  const pid = await pidOf(node);
  const program = '/usr/lib/overworld-master/master.js';
  await node.must(`echo 'broken' > ${program}`);
  expect((await install(node, '', unpacked)).steps).toEqual(
    expect.arrayContaining(['program done', 'start done']),
  );
  expect(await pidOf(node)).not.toBe(pid);
  writeFileSync(join(node.root, program), 'console.log("0.0.9")');
  const refused = await install(node, '', unpacked);
  expect([refused.code, refused.details['program']]).toEqual([1, expect.stringContaining('0.0.9')]);
});

it.runIf(nightly)('`install` completes an installation that was killed at any point', async () => {
  const other = await bootWithProgram();
  const options = `--ssh-port 2222 --owner-key "${anna.publicKey}"`;
  // A killed run has completed some steps, and the next run continues after these steps. So all steps are reached.
  for (const part of [0.2, 0.4, 0.5, 0.6, 0.6, 0.7, 0.7, 0.8, 0.8, 0.9]) {
    const seconds = ((part * durationMs) / 1000).toFixed(2);
    const ran = await other.run(`timeout -s KILL ${seconds} ${unpacked} install ${options}`);
    expect([0, 137]).toContain(ran.code);
  }
  const { code, result } = await install(other, options, unpacked);
  expect([code, result.port, result.hostname]).toEqual([0, 2222, other.address]);
  expect(await roleOf(anna, { ...result, host: other.address })).toBe('owner');
  expect(await other.must('find /var/lib/overworld ! -user overworld')).toBe('');
  expect(await other.must('ls -d /usr/lib/overworld-master*')).toBe('/usr/lib/overworld-master');
});
