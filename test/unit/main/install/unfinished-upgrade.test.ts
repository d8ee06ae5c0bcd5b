import { execFileSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { unfinishedScript } from '#main/install/check/check-script.ts';
import { readFacts, type ServerFacts } from '#main/install/check/facts.ts';
import { isInstalled } from '#main/install/steps/place-package.ts';
import { RecordWriter } from '#master/cli/upgrade/record.ts';
import { temporaryFolder } from '#test/support/temporary-folder.ts';

const INSTALLED = [
  'package installed 0.2.0',
  'compared same',
  'configured yes',
  'time 1700000000',
  'end yes',
];

let paths: { readonly live: string; readonly last: string };

beforeEach(() => {
  const folder = temporaryFolder();
  paths = { live: join(folder, 'live.json'), last: join(folder, 'last.json') };
});

/** Runs the part of the check script on this machine, and reads its facts about a server with the app's version. */
function factsHere(): ServerFacts {
  const script = `fact() { printf '%s %s\\n' "$1" "$2"; }\n${unfinishedScript(paths)}`;
  const printed = execFileSync('sh', ['-c', script], { encoding: 'utf8' });
  return readFacts([printed.trim(), ...INSTALLED].join('\n'), 1_700_000_000) ?? expect.fail('incomplete');
}

async function beginUpgrade(): Promise<RecordWriter> {
  const begun = { run: 'first', before: '0.1.0', startedAt: 1, marks: ['old'] };
  return RecordWriter.begin(begun, null, paths);
}

describe.runIf(process.platform !== 'win32')('an installed master whose last upgrade', () => {
  it('was interrupted during the change is upgraded again', async () => {
    const record = await beginUpgrade();
    await record.changing({ before: '0.1.0', version: '0.2.0', mark: 'new' });
    expect(factsHere()).toMatchObject({ hasUnfinishedUpgrade: true });
    // The server restarts.
    rmSync(paths.live);
    const facts = factsHere();
    expect(facts.hasUnfinishedUpgrade).toBe(true);
    expect(isInstalled(facts)).toBe(false);
  });

  it('has finished needs no package', async () => {
    const record = await beginUpgrade();
    await record.changing({ before: '0.1.0', version: '0.2.0', mark: 'new' });
    await record.changed();
    const facts = factsHere();
    expect(facts.hasUnfinishedUpgrade).toBe(false);
    expect(isInstalled(facts)).toBe(true);
  });

  it('does not exist needs no package', () => {
    expect(isInstalled(factsHere())).toBe(true);
  });
});
