import { chmod, mkdir, symlink, writeFile } from 'node:fs/promises';
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { listFilesAnswer, readFileAnswer } from '#master/runtime/systemd/tool-answers.ts';
import { runToolPython as python } from '#test/support/nodes/tool-python.ts';
import { temporaryFolder } from '#test/support/temporary-folder.ts';

/**
 * Python program that sends each request to a command of the tool. Prints the answer or the problem as one line of
 * JSON.
 */
const ASK = `
import json
import places
from live import files
from problem import Problem
# Groups can be left only by root.
os.setgroups = lambda groups: None
places.SERVICES = sys.argv[1]
for command, request in json.loads(sys.argv[2]):
    try:
        print(json.dumps(getattr(files, command)({'id': 'lobby-1', **request})))
    except Problem as problem:
        print(json.dumps({'problem': problem.kind}))
`;

type Call = readonly ['list_files' | 'read_file', object];

async function ask(folder: string, ...calls: readonly Call[]): Promise<unknown[]> {
  const said = await python(ASK, folder, JSON.stringify(calls));
  return said
    .trim()
    .split('\n')
    .map((line): unknown => JSON.parse(line));
}

const list = (folder: string, after: string | null = null, limit = 100): Call => [
  'list_files',
  { folder, after, limit },
];
const read = (path: string, from = 0, length = 100): Call => ['read_file', { path, from, length }];

async function serviceFolder(): Promise<{ readonly top: string; readonly own: string }> {
  const top = temporaryFolder();
  const own = join(top, 'lobby-1');
  await mkdir(join(own, 'logs'), { recursive: true });
  await chmod(top, 0o755);
  await writeFile(join(own, 'logs/latest.log'), 'Grüße');
  return { top, own };
}

describe('the tool on a node', () => {
  it('lists and reads files of a service', async () => {
    const { top, own } = await serviceFolder();
    for (const name of ['a', 'b', 'c']) await writeFile(join(own, name), name);
    const [first, second, piece, end] = await ask(
      top,
      list('', null, 2),
      list('', 'b', 2),
      read('logs/latest.log', 2, 3),
      read('logs/latest.log', 99),
    );
    expect(listFilesAnswer.parse(first)).toMatchObject({
      entries: [{ name: 'a', kind: 'file', bytes: 1 }, { name: 'b' }],
      more: true,
    });
    expect(listFilesAnswer.parse(second)).toMatchObject({
      entries: [{ name: 'c' }, { name: 'logs', kind: 'folder', bytes: 0 }],
      more: false,
    });
    expect(Buffer.from(readFileAnswer.parse(piece).base64, 'base64')).toEqual(
      Buffer.from('Grüße').subarray(2, 5),
    );
    expect(readFileAnswer.parse(end)).toMatchObject({ base64: '', bytes: 7 });
  });

  it('sorts file names in the same order as the master', async () => {
    const { top, own } = await serviceFolder();
    const names = ['logs', '\u{1f600}', '\uff21', '\uff22'];
    expect(names.toSorted()).toEqual(names);
    for (const name of names.slice(1)) await writeFile(join(own, name), '');
    const [all, rest] = await ask(top, list(''), list('', '\u{1f600}'));
    expect(listFilesAnswer.parse(all).entries.map(({ name }) => name)).toEqual(names);
    expect(listFilesAnswer.parse(rest).entries.map(({ name }) => name)).toEqual(names.slice(2));
  });

  it('follows no links, opens no pipes, and rejects paths that do not exist', async () => {
    const { top, own } = await serviceFolder();
    await writeFile(join(top, 'secret'), 'key');
    await symlink('../secret', join(own, 'link'));
    await symlink('..', join(own, 'up'));
    execFileSync('mkfifo', [join(own, 'pipe')]);
    const answers = await ask(
      top,
      read('link'),
      read('up/secret'),
      read('pipe'),
      read('logs'),
      read(''),
      read('nothing/at/all'),
      list('up'),
      list('logs/latest.log'),
      read('logs/latest.log/x'),
    );
    expect(answers).toEqual([
      { problem: 'no-access' },
      { problem: 'no-access' },
      { problem: 'no-access' },
      { problem: 'no-access' },
      { problem: 'no-access' },
      { problem: 'no-file' },
      { problem: 'no-access' },
      { problem: 'no-access' },
      { problem: 'no-access' },
    ]);
  });

  it('omits file names that are not UTF-8, and reports a service without a folder', async () => {
    const { top, own } = await serviceFolder();
    execFileSync('touch', [Buffer.from(`${own}/caf\xe9`, 'latin1').toString('latin1')]);
    await python(`open(os.fsencode(sys.argv[1]) + b'/bad\\xff', 'w').close()`, own);
    const [found] = await ask(top, list(''));
    expect(listFilesAnswer.parse(found).entries.map(({ name }) => name)).toEqual(['café', 'logs']);
    expect(await ask(temporaryFolder(), list(''))).toEqual([{ problem: 'no-folder' }]);
  });
});
