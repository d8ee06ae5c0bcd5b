import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { readRecord, RecordWriter } from '#master/cli/upgrade/record.ts';
import { temporaryFolder } from '#test/support/temporary-folder.ts';

const facts = { run: 'second', before: '1.0.0', startedAt: 2, marks: ['first'] };
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
  const begun = { run: 'first', before: '1.0.0', startedAt: 1, marks: ['old'] };
  const record = await RecordWriter.begin(begun, null, paths);
  await record.changing({ before: '1.0.0', version: '1.1.0', mark: 'first' });
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
    await record.changing({ before: '1.0.0', version: '1.2.0', mark: 'second' });
    await record.changed();
    await record.finish({ ...result, error: null });
    await rm(paths.live);
    expect(await readRecord(paths)).toMatchObject({ phase: 'finished', version: '1.2.0' });
  });

  it('lists each package that may be installed after repeated interruptions', async () => {
    await interruptUpgrade();
    expect(await readRecord(paths)).toMatchObject({ marks: ['old', 'first'] });
    const record = await RecordWriter.begin(facts, await readRecord(paths), paths);
    expect(await readRecord(paths)).toMatchObject({ marks: ['old', 'first'] });
    await record.changing({ before: '1.0.0', version: '1.2.0', mark: 'second' });
    expect(await readRecord(paths)).toMatchObject({ marks: ['old', 'first', 'second'] });
  });

  it('is read without packages if an earlier version has written it', async () => {
    await interruptUpgrade();
    const { marks, ...written } = (await readRecord(paths)) ?? expect.fail('no record');
    expect(marks).not.toEqual([]);
    await writeFile(paths.live, JSON.stringify(written));
    expect(await readRecord(paths)).toMatchObject({ phase: 'changing', version: '1.1.0', marks: [] });
  });

  it('is finished if an upgrade is refused and no upgrade was interrupted', async () => {
    const record = await RecordWriter.begin(facts, null, paths);
    expect(await readRecord(paths)).toMatchObject({ phase: 'preparing', version: null });
    await record.finish(result);
    expect(await readRecord(paths)).toMatchObject({ phase: 'finished', result: { error: refusal } });
  });
});
