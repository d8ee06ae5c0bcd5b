import { chmodSync, chownSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { checkLocalServices, checkNode, checkRights, isNodeNewEnough } from '#master/doctor/service.ts';
import { checkJava } from '#master/doctor/machine.ts';
import type { ServiceUnit } from '#master/doctor/service-unit.ts';
import { NODE_NEEDED } from '#shared/version.ts';
import { temporaryFolder } from '#test/support/temporary-folder.ts';

const UNIT: ServiceUnit = {
  pid: null,
  node: process.execPath,
  args: [],
  data: '/var/lib/overworld',
  isLocal: true,
  user: 'root',
  state: 'is stopped',
  environment: {},
};

/** Creates a program that prints these lines. */
function program(name: string, ...lines: readonly string[]): string {
  const path = join(temporaryFolder(), name);
  writeFileSync(path, `#!/bin/sh\n${lines.map((line) => `echo '${line}' >&2\necho '${line}'\n`).join('')}`);
  chmodSync(path, 0o755);
  return path;
}

describe('the check of "overworld-master doctor" for the user who runs services', () => {
  const local = { ...UNIT, user: 'anna' };

  it('reports nothing if no unit exists or the unit runs no services', () => {
    expect(checkLocalServices(null, true)).toBeNull();
    expect(checkLocalServices({ ...UNIT, isLocal: false }, true)).toBeNull();
  });

  it.each([
    {
      unit: UNIT,
      hasToken: false,
      verdict: 'bad',
      text: /root.*refuses to start.*--no-local.*--local-unsafe/,
    },
    { unit: local, hasToken: true, verdict: 'bad', text: /API token.*refuses to start/ },
    {
      ...{ unit: { ...UNIT, args: ['run', '--local-unsafe'] }, hasToken: false },
      ...{ verdict: 'warning', text: /--local-unsafe.*root/ },
    },
    { unit: local, hasToken: false, verdict: 'ok', text: /as anna/ },
  ])('has the result $verdict for a unit that runs as $unit.user', ({ unit, hasToken, verdict, text }) => {
    const finding = checkLocalServices(unit, hasToken);
    expect(finding?.verdict).toBe(verdict);
    expect(`${finding?.found} ${finding?.advice}`).toMatch(text);
  });
});

describe('the check of "overworld-master doctor" for Node.js', () => {
  it.each([
    ['18.19.0', false],
    ['20.18.9', false],
    [`${NODE_NEEDED}.0`, true],
    ['24.1.0', true],
  ])('accepts Node.js %s: %s', (version, enough) => {
    expect(isNodeNewEnough(version)).toBe(enough);
  });

  it('tests the Node.js that the unit uses, not the Node.js that runs the check', async () => {
    const node = program('node', 'v18.19.0');
    expect(await checkNode({ unit: { ...UNIT, node }, pid: null })).toEqual({
      check: 'Node.js',
      verdict: 'bad',
      found: `The unit overworld-master starts the master with ${node}, which is version 18.19.0.`,
      advice: `Install Node.js ${NODE_NEEDED} or newer, and name it in ExecStart of the unit.`,
    });
    expect(await checkNode({ unit: UNIT, pid: null })).toMatchObject({
      verdict: 'ok',
      found: `The unit overworld-master starts the master with ${process.execPath}, which is version ${process.versions.node}.`,
    });
    expect(await checkNode({ unit: { ...UNIT, node: '/nowhere/node' }, pid: null })).toMatchObject({
      verdict: 'bad',
      found: 'The unit overworld-master starts the master with /nowhere/node, which does not run.',
    });
  });

  it('tests the Node.js of a running master', async () => {
    expect(await checkNode({ unit: null, pid: process.pid })).toMatchObject({
      verdict: 'ok',
      found: `The running master (process ${process.pid}) uses ${process.execPath}, version ${process.versions.node}.`,
    });
  });

  it('tests its own Node.js if there is neither a unit nor a running master', async () => {
    expect(await checkNode({ unit: null, pid: null })).toMatchObject({
      verdict: 'ok',
      found: `No master is running, and there is no unit overworld-master. This program uses ${process.execPath}, version ${process.versions.node}.`,
    });
  });
});

describe('the check of "overworld-master doctor" for Java', () => {
  it("searches for Java with the unit's environment variables, not with those of the shell", async () => {
    const java = program('java', 'openjdk version "21.0.4"');
    const environment = { PATH: join(java, '..') };
    expect(await checkJava({ kind: 'none' }, { ...UNIT, environment })).toMatchObject({
      verdict: 'ok',
      found: `No master is running. The unit overworld-master finds ${java}, version 21.0.4.`,
    });
    expect(await checkJava({ kind: 'none' }, { ...UNIT, environment: { PATH: '/nowhere' } })).toMatchObject({
      verdict: 'warning',
      found: 'No master is running, and the unit overworld-master finds no Java.',
    });
  });

  it('is skipped if the unit runs no services on this machine', async () => {
    expect(await checkJava({ kind: 'none' }, { ...UNIT, isLocal: false })).toMatchObject({
      verdict: 'skipped',
    });
  });
});

describe.runIf(process.getuid?.() === 0)('the check of "overworld-master doctor" for file owners', () => {
  it.each([
    ['the folder itself', ''],
    ['a file in it', 'config/keys.json'],
  ])("reports that %s belongs to another user than the master's user", async (_what, path) => {
    const data = temporaryFolder();
    mkdirSync(join(data, 'config'));
    writeFileSync(join(data, 'config', 'keys.json'), '[]');
    for (const one of ['', 'config', 'config/keys.json']) chownSync(join(data, one), 1, 1);
    // This folder is on the disk that is mounted at the data folder, and always belongs to root.
    mkdirSync(join(data, 'lost+found'));
    const daemon = { unit: { ...UNIT, user: 'daemon' }, pid: null };
    expect(await checkRights(data, daemon)).toEqual({
      check: 'rights',
      verdict: 'ok',
      found: `The master runs as daemon, who owns ${data}.`,
      advice: null,
    });
    chownSync(join(data, path), 0, 0);
    expect(await checkRights(data, daemon)).toEqual({
      check: 'rights',
      verdict: 'bad',
      found: `The master runs as daemon, but ${path === '' ? data : join(data, path)} belongs to root.`,
      advice: `Run: chown -R daemon: ${data}`,
    });
  });

  it('accepts files of any owner if the master runs as root', async () => {
    const data = temporaryFolder();
    chownSync(data, 1, 1);
    expect(await checkRights(data, { unit: UNIT, pid: null })).toMatchObject({ verdict: 'ok' });
    expect(await checkRights(data, { unit: null, pid: process.pid })).toMatchObject({ verdict: 'ok' });
  });

  it('is skipped if there is neither a unit nor a running master, and reports a unit whose user does not exist', async () => {
    const data = temporaryFolder();
    expect(await checkRights(data, { unit: null, pid: null })).toMatchObject({ verdict: 'skipped' });
    expect(await checkRights(data, { unit: { ...UNIT, user: 'nobody-here' }, pid: null })).toMatchObject({
      verdict: 'bad',
      found: 'The unit overworld-master runs as nobody-here, but this machine has no such user.',
    });
  });
});
