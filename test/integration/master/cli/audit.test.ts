import { appendFile, chmod, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { SecurityLog } from '#master/store/security-log/security-log.ts';
import { makePerson } from '#test/support/master/admin-master.ts';
import { cliOf } from '#test/support/master/command-line.ts';
import { temporaryFolder } from '#test/support/temporary-folder.ts';

let data: string;
let out: string;
let err: string;
let head: string;
const file = (): string => join(data, 'state', 'security', '000000000001.jsonl');

beforeEach(async () => {
  data = temporaryFolder();
  await chmod(data, 0o700);
  let now = Date.UTC(2026, 10, 20);
  const log = await SecurityLog.open(join(data, 'state', 'security'), () => (now += 24 * 3_600_000));
  for (const actor of ['anna', 'ben', 'carl'])
    log.add({ kind: 'login.accepted', actor, message: 'in', cause: '' });
  head = log.head.hash;
  await log.close();
});

/** Runs `overworld-master audit …`. */
async function audit(...args: string[]): Promise<number> {
  return cli('audit', ...args);
}

async function cli(...args: string[]): Promise<number> {
  const printed = await cliOf(data)(...args);
  ({ out, err } = printed);
  return printed.code;
}

describe('the command audit verify', () => {
  it('prints the hash of the last entry of an intact log, which a later check accepts with --expect', async () => {
    expect(await audit('verify')).toBe(0);
    expect(out).toContain('The chain is intact: 3 entries, 1 to 3, from 2026-11-21 00:00 UTC');
    expect(out).toContain(`Hash of the last entry: ${head}`);
    expect(await audit('verify', '--expect', head)).toBe(0);
  });

  it('names the file and the line of a changed entry, and explains what this means', async () => {
    await writeFile(file(), (await readFile(file(), 'utf8')).replace('ben', 'eve'));
    expect(await audit('verify')).toBe(1);
    expect(out).toContain(`${file()}, line 2: Entry 2 was changed: its hash does not match.`);
    expect(out).toContain('tampered with or damaged');
  });

  it('detects the removal of the last entries only if --expect contains the hash of a removed entry', async () => {
    const [first = ''] = (await readFile(file(), 'utf8')).split('\n');
    await writeFile(file(), `${first}\n`);
    expect(await audit('verify')).toBe(0);
    expect(await audit('verify', '--expect', head)).toBe(1);
    expect(out).toContain('No entry has the expected hash.');
  });

  it('reports an incomplete last entry, but treats the chain as intact', async () => {
    await appendFile(file(), '{"actor":"an');
    expect(await audit('verify')).toBe(0);
    expect(out).toContain(`${file()}, line 4: The last entry is incomplete`);
    expect(out).toContain('The chain is intact');
  });

  it('fails if there is no log', async () => {
    data = temporaryFolder();
    expect(await audit('verify')).toBe(1);
    expect(out).toContain('There is no entry in');
  });

  it('with --json, prints one JSON document', async () => {
    await writeFile(file(), (await readFile(file(), 'utf8')).replace('ben', 'eve'));
    expect(await audit('verify', '--json')).toBe(1);
    expect(JSON.parse(out)).toEqual({
      entries: 3,
      first: 1,
      head: { seq: 3, hash: head },
      breaks: [
        { file: '000000000001.jsonl', line: 2, seq: 2, why: 'Entry 2 was changed: its hash does not match.' },
      ],
      torn: null,
      expected: null,
    });
  });

  it('rejects a malformed hash for --expect', async () => {
    expect(await audit('verify', '--expect', 'abc')).toBe(2);
  });
});

describe('the command audit export', () => {
  const actors = (): unknown[] =>
    out
      .trim()
      .split('\n')
      .map((line) => (JSON.parse(line) as { actor: string }).actor);

  it('prints all entries as JSON lines, or only entries since a given day or minute', async () => {
    expect(await audit('export')).toBe(0);
    expect(actors()).toEqual(['anna', 'ben', 'carl']);
    await audit('export', '--since', '2026-11-22');
    expect(actors()).toEqual(['ben', 'carl']);
    await audit('export', '--since', '2026-11-22T00:01');
    expect(actors()).toEqual(['carl']);
    expect(await audit('export', '--since', 'yesterday')).toBe(2);
  });

  it('prints the readable part of a broken log, and fails', async () => {
    await writeFile(file(), (await readFile(file(), 'utf8')).replace('ben', 'eve'));
    expect(await audit('export')).toBe(1);
    expect(actors()).toEqual(['anna', 'eve', 'carl']);
    expect(err).toContain('audit verify');
  });
});

it('the security log contains keys that were added or removed while no master was running', async () => {
  expect(await cli('init')).toBe(0);
  const key = makePerson('dora').publicKey;
  expect(await cli('keys', 'add', 'dora', key, '--role', 'owner')).toBe(0);
  expect(await cli('keys', 'add', 'emil', makePerson('emil').publicKey, '--role', 'viewer')).toBe(0);
  expect(await cli('keys', 'remove', 'emil')).toBe(0);
  expect(await audit('export')).toBe(0);
  expect(out).toContain('"message":"Key dora was authorized as owner"');
  expect(out).toContain('"message":"Key emil was removed"');
  expect(await audit('verify')).toBe(0);
});
