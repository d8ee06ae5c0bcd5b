import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { FileEvents, type FileChange } from '#master/control/feed/file-events.ts';
import type { NewEvent } from '#master/store/event-log.ts';

function gather(changes: readonly Partial<FileChange>[]): string[] {
  const told: string[] = [];
  const events = new FileEvents({ add: (event: NewEvent) => told.push(event.message) });
  for (const change of changes) {
    events.add({
      kind: 'files.written',
      path: '/templates/lobby/a',
      template: 'lobby',
      actor: 'anna',
      ...change,
    });
  }
  expect(told).toEqual([]);
  vi.advanceTimersByTime(2_000);
  return told;
}

describe('the activity log about files that people change', () => {
  beforeEach(() => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
  });

  it('contains one entry for one changed file', () => {
    expect(gather([{ path: '/templates/lobby/server.jar' }])).toEqual([
      'anna wrote /templates/lobby/server.jar',
    ]);
  });

  it('contains one entry for a whole upload, with the folder that contains all its files', () => {
    const changes = Array.from({ length: 500 }, (_, i) => ({
      path: `/templates/lobby/world/${i % 3}/${i}.dat`,
    }));
    expect(gather(changes)).toEqual(['anna wrote 500 files in /templates/lobby/world']);
  });

  it('contains one entry for the final file if an upload uses a temporary file', () => {
    const temporary = '/templates/lobby/.overworld-1.part';
    expect(
      gather([
        { path: temporary },
        { kind: 'files.renamed', path: temporary, to: '/templates/lobby/server.jar' },
      ]),
    ).toEqual(['anna wrote /templates/lobby/server.jar']);
  });

  it('contains a separate entry for each person, kind of change and template', () => {
    expect(
      gather([
        { path: '/templates/lobby/a' },
        { path: '/templates/lobby/a', kind: 'files.deleted' },
        { path: '/templates/lobby/b', actor: 'ben' },
        { path: '/files/c', template: null },
        { kind: 'files.renamed', path: '/templates/lobby/d', to: '/templates/lobby/e' },
      ]),
    ).toEqual([
      'anna wrote /templates/lobby/a',
      'anna deleted /templates/lobby/a',
      'ben wrote /templates/lobby/b',
      'anna wrote /files/c',
      'anna renamed /templates/lobby/d to e',
    ]);
  });

  it('contains one entry for many renamed files', () => {
    const changes = Array.from({ length: 500 }, (_, i) => ({
      kind: 'files.renamed' as const,
      path: `/templates/lobby/world/${i}.a`,
      to: `/templates/lobby/world/${i}.b`,
    }));
    expect(gather(changes)).toEqual(['anna renamed 500 files in /templates/lobby/world']);
  });

  it('contains fewer than 400 entries per person in an hour, so that other events remain visible', () => {
    const told: string[] = [];
    const events = new FileEvents({ add: (event: NewEvent) => told.push(event.message) });
    for (let i = 0; i < 3_600; i++) {
      const template = `t${i % 50}`;
      const path = `/templates/${template}/${i}`;
      events.add({ kind: 'files.written', path, template, actor: 'anna' });
      events.add({ kind: 'files.renamed', path, to: `${path}.b`, template, actor: 'anna' });
      events.add({ kind: 'files.deleted', path: `${path}.b`, template, actor: 'anna' });
      vi.advanceTimersByTime(1_000);
    }
    expect(told.length).toBeGreaterThan(300);
    expect(told.length).toBeLessThan(400);
  });

  it('counts every changed file exactly once, even if one entry covers many of the files', () => {
    const told: string[] = [];
    const events = new FileEvents({ add: (event: NewEvent) => told.push(event.message) });
    for (let i = 0; i < 300; i++) {
      events.add({ kind: 'files.written', path: `/templates/lobby/${i}`, template: 'lobby', actor: 'anna' });
      vi.advanceTimersByTime(2_000);
    }
    events.flush();
    const counts = told.map((message) => Number(/(\d+) files/.exec(message)?.[1] ?? 1));
    expect(counts.reduce((sum, count) => sum + count, 0)).toBe(300);
    expect(told.length).toBeLessThan(100);
  });

  it('contains one entry for a burst of 25,000 files', () => {
    const told: string[] = [];
    const events = new FileEvents({ add: (event: NewEvent) => told.push(event.message) });
    for (let i = 0; i < 25_000; i++)
      events.add({ kind: 'files.written', path: `/files/a/${i}`, template: null, actor: 'anna' });
    events.flush();
    expect(told).toEqual(['anna wrote 25000 files in /files/a']);
  });

  it('contains an entry about a long upload before the upload ends', () => {
    const told: string[] = [];
    const events = new FileEvents({ add: (event: NewEvent) => told.push(event.message) });
    for (let second = 0; second < 40; second++) {
      events.add({ kind: 'files.written', path: `/files/${second}`, template: null, actor: 'anna' });
      vi.advanceTimersByTime(1_000);
    }
    expect(told.length).toBeGreaterThan(0);
  });
});
