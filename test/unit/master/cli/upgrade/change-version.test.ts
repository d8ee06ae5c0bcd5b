import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { userInfo } from 'node:os';
import { dirname, join } from 'node:path';
import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import type { AsUser } from '#master/cli/machine/as-user.ts';
import { mustRun, runProgram } from '#master/cli/machine/run-program.ts';
import type { Change } from '#master/cli/upgrade/change.ts';
import { changeVersion } from '#master/cli/upgrade/change-version.ts';
import type { Packaging } from '#master/cli/upgrade/packages/packaging.ts';
import { RecordWriter } from '#master/cli/upgrade/record.ts';
import { temporaryFolder } from '#test/support/temporary-folder.ts';

/**
 * A systemctl with one unit, which is active until it is started again. Each start then fails. The first start
 * overwrites the file in the environment variable SPOILED.
 */
const SYSTEMCTL = `#!/bin/sh
here=$(dirname "$0")
case $1 in
  show) if [ -e "$here/started" ]; then echo ActiveState=failed; else echo ActiveState=active; fi ;;
  start) [ -e "$here/started" ] || echo spoiled > "\${SPOILED:-/dev/null}"; touch "$here/started" ;;
esac
`;

const KEYS = 'config/keys.json';
const LOBBY = 'config/templates/lobby.json';
const NODES = 'state/nodes.json';

let data: string;
let folder: string;
let unreadable: readonly string[];

beforeEach(() => {
  const bin = temporaryFolder();
  for (const [name, text] of [['systemctl', SYSTEMCTL] as const, ['journalctl', '#!/bin/sh\n'] as const]) {
    writeFileSync(join(bin, name), text);
    chmodSync(join(bin, name), 0o755);
  }
  vi.stubEnv('PATH', `${bin}:${process.env['PATH']}`);
  vi.spyOn(console, 'log').mockReturnValue();
  onTestFinished(() => {
    vi.unstubAllEnvs();
    vi.restoreAllMocks();
  });
  [data, folder] = [temporaryFolder(), temporaryFolder()];
  unreadable = [];
});

function write(root: string, documents: Readonly<Record<string, string>>): void {
  for (const [path, text] of Object.entries(documents)) {
    mkdirSync(join(root, dirname(path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
}

/**
 * Runs programs as this user. The master's check of the data finds mistakes in the unreadable files, and an unknown
 * setting in a template.
 */
const as: AsUser = {
  user: userInfo().username,
  run: async (program, args) => {
    if (!args.includes('check')) return runProgram(program, args);
    const mistakes = unreadable.map((file) => ({ severity: 'mistake', file, problem: 'wrong' }));
    const unknown = { severity: 'mistake', file: LOBBY, problem: 'border (line 2) is not a known key.' };
    mistakes.push(unknown);
    return { code: 1, stdout: JSON.stringify(mistakes), stderr: '' };
  },
  must: (program, args) => mustRun(program, args),
};

/** Upgrades version 1.0.0 to 1.1.0, which does not start. */
async function upgrade(): Promise<void> {
  const packaging: Packaging = {
    ...{ kind: 'deb', unpackFolder: join(folder, 'unpacked') },
    installed: () => expect.fail('not asked'),
    unpackedBytes: () => Promise.resolve(0),
    open: () => expect.fail('not opened'),
    untilFree: () => Promise.resolve(),
    pack: () => Promise.resolve(),
    install: () => Promise.resolve(null),
    goBack: () => Promise.resolve(),
  };
  const installed = { kind: 'deb', version: '1.0.0', arch: 'amd64', mark: 'old', isComplete: true } as const;
  const facts = { kind: 'deb', name: 'overworld-master', version: '1.1.0', arch: 'amd64' } as const;
  const paths = { live: join(folder, 'live.json'), last: join(folder, 'last.json') };
  const begun = { run: 'run', before: '1.0.0', startedAt: 1, marks: ['old'] };
  const change: Change = {
    target: { packaging, installed, data, hasData: true, as },
    kept: {
      ...{ version: '1.0.0', keptAt: 1, mark: 'old', folder },
      ...{ package: join(folder, 'package.deb'), data: join(folder, 'data') },
    },
    candidate: { facts, program: folder, mark: 'new', file: join(folder, 'new.deb') },
    programs: { before: '1.0.0', after: '1.1.0' },
    record: await RecordWriter.begin(begun, null, paths),
  };
  const { error } = await changeVersion(change);
  expect(error).toMatchObject({ code: 'UPGRADE_RETURNED' });
}

describe('the data after an upgrade to a version that does not start', () => {
  it('is as it was when the previous version was stopped', async () => {
    write(data, { [KEYS]: 'today', [LOBBY]: 'today' });
    vi.stubEnv('SPOILED', join(data, KEYS));
    await upgrade();
    expect(readFileSync(join(data, KEYS), 'utf8')).toBe('today');
  });

  it('contains what people have changed since an interrupted upgrade has copied it', async () => {
    write(join(folder, 'data'), { [KEYS]: 'months ago' });
    write(data, { [KEYS]: 'today', [LOBBY]: 'today' });
    await upgrade();
    expect(readFileSync(join(data, KEYS), 'utf8')).toBe('today');
    expect(existsSync(join(data, LOBBY))).toBe(true);
  });

  it('contains the copy of an interrupted upgrade instead of each file that the previous version cannot read', async () => {
    write(join(folder, 'data'), { [KEYS]: 'months ago', [NODES]: 'months ago' });
    write(data, { [KEYS]: 'today', [NODES]: 'unreadable' });
    unreadable = [NODES];
    await upgrade();
    expect(readFileSync(join(data, NODES), 'utf8')).toBe('months ago');
    expect(readFileSync(join(data, KEYS), 'utf8')).toBe('today');
  });
});
