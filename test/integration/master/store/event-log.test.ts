import { appendFile, readFile, rename, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { EventLog, type NewEvent } from '#master/store/event-log.ts';
import { temporaryFolder } from '#test/support/temporary-folder.ts';

function anEvent(fields: Partial<NewEvent> = {}): NewEvent {
  return {
    kind: 'service.running',
    subject: { type: 'service', id: 'lobby-1' },
    template: 'lobby',
    actor: 'overworld',
    message: 'lobby-1 is running',
    cause: 'it answered',
    ...fields,
  };
}

describe('the activity log', () => {
  it('gives increasing numbers to events, even after a restart', async () => {
    const path = join(temporaryFolder(), 'activity.jsonl');
    const log = await EventLog.open(path, () => 1);
    log.add(anEvent());
    log.add(anEvent());
    await log.close();
    const next = await EventLog.open(path, () => 2);
    expect(next.add(anEvent()).seq).toBe(3);
    expect(next.query({ limit: 10 }).map((event) => event.seq)).toEqual([3, 2, 1]);
    await next.close();
  });

  it('ignores a line that a crash has truncated, and keeps all later lines', async () => {
    const path = join(temporaryFolder(), 'activity.jsonl');
    const log = await EventLog.open(path, () => 1);
    log.add(anEvent());
    await log.close();
    await appendFile(path, '{"seq":2,"at":1,"ki');
    const next = await EventLog.open(path, () => 2);
    next.add(anEvent({ message: 'after the crash' }));
    await next.close();
    const last = await EventLog.open(path, () => 3);
    expect(last.query({ limit: 10 }).map((event) => event.message)).toEqual([
      'after the crash',
      'lobby-1 is running',
    ]);
    await last.close();
  });

  it('contains an event once that is in its files twice', async () => {
    const path = join(temporaryFolder(), 'activity.jsonl');
    const [one, two, three] = [1, 2, 3].map((seq) => `${JSON.stringify({ seq, at: 1, ...anEvent() })}\n`);
    await writeFile(path.replace('.jsonl', '.1.jsonl'), `${one}${two}`);
    await writeFile(path, `${two}{"seq":3,"at\n${two}${three}`);
    const log = await EventLog.open(path, () => 2);
    expect(log.query({ limit: 10 }).map((event) => event.seq)).toEqual([3, 2, 1]);
    expect(log.add(anEvent()).seq).toBe(4);
    await log.close();
  });

  it('keeps the number and the message of an event of an unknown kind', async () => {
    const path = join(temporaryFolder(), 'activity.jsonl');
    const newer = { ...anEvent({ message: 'lobby was imported' }), kind: 'template.imported', by: 'wizard' };
    await appendFile(path, `${JSON.stringify({ seq: 8, at: 1, ...newer })}\n`);
    const log = await EventLog.open(path, () => 2);
    expect(log.add(anEvent()).seq).toBe(9);
    expect(log.query({ limit: 10 }).at(-1)).toMatchObject({ kind: 'other', message: 'lobby was imported' });
    await log.close();
    expect(await readFile(path, 'utf8')).toContain('template.imported');
  });

  it('has written all events to the disk when a flush completes', async () => {
    const path = join(temporaryFolder(), 'activity.jsonl');
    const log = await EventLog.open(path, () => 1);
    for (let i = 0; i < 500; i++) log.add(anEvent());
    await log.flushed();
    expect((await readFile(path, 'utf8')).trim().split('\n')).toHaveLength(500);
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    await log.close();
  });

  it('finds events by template, subject, kind and position', async () => {
    const log = await EventLog.open(join(temporaryFolder(), 'activity.jsonl'), () => 1);
    log.add(anEvent({ template: 'arena', subject: { type: 'service', id: 'arena-1' } }));
    log.add(anEvent({ kind: 'service.failed' }));
    log.add(anEvent());
    const found = (query: Partial<Parameters<EventLog['query']>[0]>): number[] =>
      log.query({ limit: 10, ...query }).map((event) => event.seq);
    expect(found({ template: 'lobby' })).toEqual([3, 2]);
    expect(found({ subject: 'arena-1' })).toEqual([1]);
    expect(found({ kinds: ['service.failed'] })).toEqual([2]);
    expect(found({ before: 3, limit: 1 })).toEqual([2]);
    await log.close();
  });

  it('finds events by person, words and time, regardless of upper case', async () => {
    let now = 1_000;
    const log = await EventLog.open(join(temporaryFolder(), 'activity.jsonl'), () => (now += 100));
    log.add(anEvent({ actor: 'anna', message: 'Arena-1 was STOPPED', cause: 'requested by anna' }));
    log.add(anEvent({ cause: '83 % ≥ 80 % (a.b)' }));
    log.add(anEvent({ message: 'lobby-1 stopped', cause: 'Ärger am Abend' }));
    const found = (query: Partial<Parameters<EventLog['query']>[0]>): number[] =>
      log.query({ limit: 10, ...query }).map((event) => event.seq);
    expect(found({ actor: 'anna' })).toEqual([1]);
    expect(found({ text: 'stopped' })).toEqual([3, 1]);
    expect(found({ text: '  Arena   ANNA ' })).toEqual([1]);
    expect(found({ text: 'ärger' })).toEqual([3]);
    expect(found({ text: '(a.b)' })).toEqual([2]);
    expect(found({ text: '(a,b)' })).toEqual([]);
    expect(found({ text: '' })).toEqual([3, 2, 1]);
    expect(found({ from: 1_200 })).toEqual([3, 2]);
    expect(found({ until: 1_200 })).toEqual([1]);
    expect(found({ from: 1_200, until: 1_300, text: 'lobby' })).toEqual([2]);
    expect(found({ before: 3, text: 'stopped' })).toEqual([1]);
    await log.close();
  });

  it('searches 20,000 events within a second, and continues from page to page', async () => {
    const log = await EventLog.open(join(temporaryFolder(), 'activity.jsonl'), () => 1);
    for (let i = 1; i <= 20_000; i++)
      log.add(anEvent({ message: `lobby-${i} is running and can be joined` }));
    const began = performance.now();
    expect(log.query({ limit: 500, text: 'LOBBY-1 nobody-has-this-word' })).toEqual([]);
    // A measured query took 8 ms. A busy machine may take many times as long.
    expect(performance.now() - began).toBeLessThan(1_000);
    const seen: number[] = [];
    for (let page = log.query({ limit: 500 }); page.length > 0;) {
      seen.push(...page.map(({ seq }) => seq));
      page = log.query({ limit: 500, before: seen.at(-1) });
    }
    expect(seen).toEqual(Array.from({ length: 20_000 }, (_, i) => 20_000 - i));
    await log.close();
  });

  it('uses a limited amount of disk space', async () => {
    const path = join(temporaryFolder(), 'activity.jsonl');
    const log = await EventLog.open(path, () => 1);
    for (let i = 0; i < 60; i++) {
      log.add(anEvent({ cause: 'x'.repeat(1_000_000) }));
      await log.flushed();
    }
    await log.close();
    const sizes = await Promise.all(
      [path, path.replace('.jsonl', '.1.jsonl')].map(async (p) => (await stat(p)).size),
    );
    expect(sizes.reduce((a, b) => a + b)).toBeLessThan(40 * 1_048_576);
    expect((await EventLog.open(path, () => 1)).query({ limit: 1 })[0]?.seq).toBe(60);
  });

  it('continues after a rotation of its files that was interrupted', async () => {
    const path = join(temporaryFolder(), 'activity.jsonl');
    const log = await EventLog.open(path, () => 1);
    log.add(anEvent({ cause: 'x'.repeat(17_000_000) }));
    await log.flushed();
    // Create the state after a failed attempt to open the new file.
    await rename(path, path.replace('.jsonl', '.1.jsonl'));
    log.add(anEvent({ message: 'after the rotation' }));
    await log.flushed();
    await log.close();
    const next = await EventLog.open(path, () => 1);
    expect(next.query({ limit: 5 }).map((event) => event.message)).toEqual([
      'after the rotation',
      'lobby-1 is running',
    ]);
    await next.close();
  });
});
