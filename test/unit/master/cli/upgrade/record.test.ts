import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { readRecord, RecordWriter } from '#master/cli/upgrade/record.ts';
import { temporaryFolder } from '#test/support/temporary-folder.ts';

const facts = { run: 'second', before: '1.0.0', startedAt: 2 };
const refusal = { code: 'UPGRADE_REFUSED', details: {}, message: 'It is damaged.' };
const result = {
  ...{ version: '1.2.0', before: '1.0.0', returned: false, unchanged: false, pauseMs: null, log: [] },
  error: refusal,
};

let paths: { readonly live: string; readonly last: string };

beforeEach(() => {
  const folder = temporaryFolder();
  paths = { live: join(folder, 'live.json'), last: join(folder, 'last.json') };
});

/** Writes the record of an upgrade that ends without a result while it replaces version 1.0.0 with 1.1.0. */
async function interruptUpgrade(): Promise<void> {
  const record = await RecordWriter.begin({ run: 'first', before: '1.0.0', startedAt: 1 }, null, paths);
  await record.changing({ before: '1.0.0', version: '1.1.0' });
}

describe('the record of an upgrade', () => {
  it('keeps the mark of an interrupted upgrade if the next upgrade is refused or killed before the change', async () => {
    await interruptUpgrade();
    const record = await RecordWriter.begin(facts, await readRecord(paths), paths);
    const interrupted = { run: 'second', phase: 'changing', before: '1.0.0', version: '1.1.0' };
    expect(await readRecord(paths)).toMatchObject({ ...interrupted, result: null });
    await record.finish(result);
    expect(await readRecord(paths)).toMatchObject({ ...interrupted, result: { error: refusal } });
    // The machine restarts.
    await rm(paths.live);
    expect(await readRecord(paths)).toMatchObject(interrupted);
  });

  it('is finished if the change of a continued upgrade has ended', async () => {
    await interruptUpgrade();
    const record = await RecordWriter.begin(facts, await readRecord(paths), paths);
    await record.changing({ before: '1.0.0', version: '1.2.0' });
    await record.changed();
    await record.finish({ ...result, error: null });
    await rm(paths.live);
    expect(await readRecord(paths)).toMatchObject({ phase: 'finished', version: '1.2.0' });
  });

  it('is finished if an upgrade is refused and no upgrade was interrupted', async () => {
    const record = await RecordWriter.begin(facts, null, paths);
    expect(await readRecord(paths)).toMatchObject({ phase: 'preparing', version: null });
    await record.finish(result);
    expect(await readRecord(paths)).toMatchObject({ phase: 'finished', result: { error: refusal } });
  });
});
