import { describe, expect, it } from 'vitest';
import { chooseFiles } from '#master/runtime/kept/choose-files.ts';
import { MAX_PIECE_BYTES, type ServiceFile } from '#shared/model/service-files.ts';

const file = (name: string, changedAt: number, bytes = 100): ServiceFile => ({
  name,
  kind: 'file',
  bytes,
  changedAt,
});

const choose = (folders: Readonly<Record<string, readonly ServiceFile[]>>) =>
  chooseFiles(new Map(Object.entries(folders)));
const pathsOf = (folders: Parameters<typeof choose>[0]): readonly string[] =>
  choose(folders).map(({ path }) => path);

describe('the files that are kept of an exited service', () => {
  it('are only its newest crash reports, JVM error logs and logs', () => {
    const chosen = pathsOf({
      '': [
        file('hs_err_pid7.log', 1),
        file('server.jar', 9),
        file('hs_err_pid7.log.bak', 9),
        file('a.log', 9),
      ],
      'crash-reports': [1, 2, 3, 4].map((at) => file(`crash-${at}-server.txt`, at)),
      logs: [
        file('latest.log', 1),
        file('2026-11-20-1.log.gz', 2),
        file('2026-11-21-1.log.gz', 3),
        file('debug.log', 4),
        file('players.db', 9),
      ],
    });
    expect(chosen).toEqual([
      'crash-reports/crash-4-server.txt',
      'crash-reports/crash-3-server.txt',
      'crash-reports/crash-2-server.txt',
      'hs_err_pid7.log',
      'logs/latest.log',
      'logs/debug.log',
      'logs/2026-11-21-1.log.gz',
    ]);
  });

  it('are shortened if they are long: a log to its end, and a crash report to its beginning', () => {
    const bytes = MAX_PIECE_BYTES + 7;
    const chosen = choose({
      'crash-reports': [file('crash.txt', 1, bytes)],
      logs: [file('latest.log', 1, bytes), file('old.log.gz', 1, bytes)],
    });
    expect(chosen.map(({ path, from, length }) => ({ path, from, length }))).toEqual([
      { path: 'crash-reports/crash.txt', from: 0, length: MAX_PIECE_BYTES },
      // old.log.gz is not chosen, because a part of a compressed file cannot be read.
      { path: 'logs/latest.log', from: 7, length: MAX_PIECE_BYTES },
    ]);
  });

  it('do not include links, folders and empty files', () => {
    const chosen = pathsOf({
      'crash-reports': [
        { ...file('link.txt', 1), kind: 'other' },
        { ...file('folder.txt', 1), kind: 'folder' },
        file('empty.txt', 1, 0),
      ],
    });
    expect(chosen).toEqual([]);
  });
});
