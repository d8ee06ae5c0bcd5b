import { describe, expect, it } from 'vitest';
import { entriesOf } from '#master/files/tasks/fetch/source.ts';
import { toOverworldError } from '#shared/errors/overworld-error.ts';
import type { ServiceFiles } from '#shared/model/service-files.ts';

const page = (names: readonly string[], more: boolean): ServiceFiles => ({
  entries: names.map((name) => ({ name, kind: 'file', bytes: 1, changedAt: 1 })),
  more,
});

/**
 * Lists a folder of a source. Returns the names, the number of pages that were read, and the error code if the list
 * fails.
 */
async function listed(pages: (after: string | null, at: number) => ServiceFiles, signal?: AbortSignal) {
  const names: string[] = [];
  let read = 0;
  const list = (_folder: string, after: string | null): Promise<ServiceFiles> => {
    if (read === 2_000) return Promise.reject(new Error('it reads too many pages'));
    return Promise.resolve(pages(after, read++));
  };
  let code: string | null = null;
  try {
    for await (const { name } of entriesOf({ list }, 'world', signal)) names.push(name);
  } catch (error) {
    code = toOverworldError(error).code;
  }
  return { names, code, read };
}

describe('entriesOf (reads all entries of a folder on a node)', () => {
  it('requests page after page, each after the last name of the previous page', async () => {
    // Names are ordered by UTF-16 units, so the emoji comes before the full-width letters.
    const all = ['a', 'b', '\u{1f600}', '\uff21', '\uff22'];
    const pages = (after: string | null): ServiceFiles => {
      const from = after === null ? 0 : all.indexOf(after) + 1;
      return page(all.slice(from, from + 2), from + 2 < all.length);
    };
    expect(await listed(pages)).toEqual({ names: all, code: null, read: 3 });
  });

  it('throws if the node sends the same page again', async () => {
    const again = await listed(() => page(['.overworld'], true));
    expect(again).toEqual({ names: ['.overworld'], code: 'FILE_FORBIDDEN', read: 2 });
  });

  it.each([
    { what: 'a page that contains a name twice', names: ['a', 'b', 'b', 'c'], before: ['a', 'b'] },
    {
      what: 'a page whose names are not sorted',
      names: ['a', '\uff21', '\u{1f600}', 'c'],
      before: ['a', '\uff21'],
    },
  ])('throws if the answer of the node has $what', async ({ names, before }) => {
    expect(await listed(() => page(names, false))).toEqual({
      names: before,
      code: 'FILE_FORBIDDEN',
      read: 1,
    });
  });

  it('throws after 1,000 pages', async () => {
    const endless = await listed((_, at) => page([String(at).padStart(9, '0')], true));
    expect(endless).toMatchObject({ code: 'FILE_FORBIDDEN', read: 1_000 });
    expect(endless.names).toHaveLength(1_000);
  });

  it('stops if it is cancelled', async () => {
    const cancel = new AbortController();
    const pages = (_: unknown, at: number): ServiceFiles => {
      if (at === 2) cancel.abort(new Error('the client left'));
      return page([`${at}`], true);
    };
    expect(await listed(pages, cancel.signal)).toMatchObject({ names: ['0', '1'], read: 3 });
  });
});
