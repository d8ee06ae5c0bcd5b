import { describe, expect, it } from 'vitest';
import { OverworldError } from '#shared/errors/overworld-error.ts';
import { collectFiles } from '#master/runtime/kept/collect-files.ts';
import type { ServiceFiles } from '#shared/model/service-files.ts';

const NOTHING: ServiceFiles = { entries: [], more: false };
const LOG = { name: 'latest.log', kind: 'file', bytes: 5, changedAt: 7 } as const;

const listLogs = (_id: string, folder: string): Promise<ServiceFiles> =>
  Promise.resolve(folder === 'logs' ? { entries: [LOG], more: false } : NOTHING);

function collect(source: Parameters<typeof collectFiles>[1], withinMs?: number) {
  const warnings: unknown[] = [];
  const warn = (error: unknown): void => void warnings.push(error);
  const options = withinMs === undefined ? { warn } : { warn, withinMs };
  return collectFiles('lobby-1', source, options).then((files) => ({ files, warnings }));
}

describe('collectFiles (collects files of an exited service)', () => {
  it('returns the content of each file, and whether the content is complete', async () => {
    const content = Buffer.from('hello');
    const { files, warnings } = await collect({
      listFiles: listLogs,
      readFile: () => Promise.resolve({ content, bytes: 5, changedAt: 7 }),
    });
    expect(files).toEqual([{ path: 'logs/latest.log', changedAt: 7, content, whole: true }]);
    expect(warnings).toEqual([]);
  });

  it('stops with a warning after the maximum time if the node does not answer', async () => {
    const never = new Promise<never>(() => undefined);
    const { files, warnings } = await collect({ listFiles: listLogs, readFile: () => never }, 20);
    expect(files).toEqual([]);
    expect(warnings.map(String)).toEqual(['Error: its crash reports and logs did not arrive within 0.02 s']);
  });

  it('reports an unreachable node instead of throwing an error', async () => {
    const error = new OverworldError('NODE_UNREACHABLE', { node: 'node-1', why: 'the connection was lost' });
    const refuse = (): Promise<never> => Promise.reject(error);
    expect(await collect({ listFiles: refuse, readFile: refuse })).toEqual({ files: [], warnings: [error] });
  });

  it('ignores a service without a folder, and files that were deleted meanwhile', async () => {
    const none = new OverworldError('SERVICE_HAS_NO_FILES', { service: 'lobby-1' });
    const refuse = (): Promise<never> => Promise.reject(none);
    expect(await collect({ listFiles: refuse, readFile: refuse })).toEqual({ files: [], warnings: [] });
    const gone = new OverworldError('FILE_NOT_FOUND', { path: 'lobby-1/logs/latest.log' });
    expect(await collect({ listFiles: listLogs, readFile: () => Promise.reject(gone) })).toEqual({
      files: [],
      warnings: [],
    });
  });

  it('reads at most five pages of a folder, even if a service has written more files', async () => {
    let pages = 0;
    await collect({
      listFiles: (_id, folder) => {
        if (folder === 'crash-reports') pages += 1;
        return Promise.resolve({ entries: [{ ...LOG, name: `x${pages}` }], more: true });
      },
      readFile: () => Promise.reject(new Error('unexpected')),
    });
    expect(pages).toBe(5);
  });
});
