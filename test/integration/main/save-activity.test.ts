import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { saveActivity } from '#main/save/activity.ts';
import { activityHandlers } from '#master/admin/handlers/activity.ts';
import type { Caller } from '#master/admin/api.ts';
import { EventLog, type NewEvent } from '#master/store/event-log.ts';
import { OverworldError } from '#shared/errors/overworld-error.ts';
import { activityEventSchema, type ActivityEvent } from '#shared/model/event.ts';
import type { Params } from '#shared/rpc/contract.ts';
import { temporaryFolder } from '#test/support/temporary-folder.ts';

const RUNNING: NewEvent = {
  kind: 'service.running',
  subject: { type: 'service', id: 'lobby-1' },
  template: 'lobby',
  actor: 'overworld',
  message: 'lobby-1 is running',
  cause: 'it answered',
};

const CALLER: Caller = {
  name: 'anna',
  role: 'owner',
  templates: null,
  notify: () => undefined,
  onClose: () => undefined,
};

/** Creates a real activity log with the real handler, and a path to which the app saves. */
async function aLog(events: readonly Partial<NewEvent>[]) {
  const folder = temporaryFolder();
  let now = Date.UTC(2026, 2, 1);
  const log = await EventLog.open(join(folder, 'activity.jsonl'), () => (now += 1000));
  onTestFinished(() => log.close());
  for (const event of events) log.add({ ...RUNNING, ...event });
  await log.flushed();
  const list = async (params: Params<'activity.list'>): Promise<ActivityEvent[]> =>
    activityHandlers(log)['activity.list'](params, CALLER);
  return { log, list, path: join(folder, 'saved') };
}

describe('the export of the activity log to a file', () => {
  it('contains all matching events, newest first, but no events added during the export', async () => {
    const many = Array.from({ length: 1_750 }, (_, i) => ({ actor: i % 3 === 0 ? 'anna' : 'overworld' }));
    const { log, list, path } = await aLog(many);
    const saving = saveActivity({ filter: {}, format: 'jsonl' }, path, (params) => {
      const page = list(params);
      log.add({ ...RUNNING, message: 'meanwhile' });
      return page;
    });
    expect(await saving).toBe(1_750);
    const lines = (await readFile(path, 'utf8')).trimEnd().split('\n');
    const read = lines.map((line) => {
      const { time, ...event } = JSON.parse(line) as ActivityEvent & { time: string };
      expect(time).toBe(new Date(event.at).toISOString());
      return activityEventSchema.parse(event).seq;
    });
    expect(read).toEqual(Array.from({ length: 1_750 }, (_, i) => 1_750 - i));
    expect(await saveActivity({ filter: { actor: 'anna' }, format: 'jsonl' }, path, list)).toBe(584);
  });

  it('is a CSV file whose values a spreadsheet shows as text, never as formulas', async () => {
    const { list, path } = await aLog([
      { message: 'said "hello, world"\nand left', cause: '=HYPERLINK("http://x")', actor: '@anna' },
      { message: '-2+3', cause: ' +1', actor: 'bob', template: null },
    ]);
    expect(await saveActivity({ filter: {}, format: 'csv' }, path, list)).toBe(2);
    expect(await readFile(path, 'utf8')).toBe(
      '\uFEFFseq,time,kind,subject_type,subject,template,actor,message,cause\r\n' +
        `2,2026-03-01T00:00:02.000Z,"service.running","service","lobby-1","","bob","'-2+3","' +1"\r\n` +
        `1,2026-03-01T00:00:01.000Z,"service.running","service","lobby-1","lobby","'@anna",` +
        `"said ""hello, world""\nand left","'=HYPERLINK(""http://x"")"\r\n`,
    );
  });

  it('leaves no unfinished file if the connection is lost', async () => {
    const { list, path } = await aLog(Array.from({ length: 700 }, () => ({})));
    const gone = new OverworldError('NOT_CONNECTED', { status: 'waiting' });
    const saving = saveActivity({ filter: {}, format: 'csv' }, path, (params) =>
      params.before === undefined ? list(params) : Promise.reject(gone),
    );
    await expect(saving).rejects.toBe(gone);
    expect(await readdir(join(path, '..'))).toEqual(['activity.jsonl']);
    expect(await saveActivity({ filter: { text: 'nobody' }, format: 'jsonl' }, path, list)).toBe(0);
    expect(await readFile(path, 'utf8')).toBe('');
  });
});
