import { expect, it } from 'vitest';
import { filesHandlers } from '#master/admin/handlers/files.ts';
import type { FileJobs } from '#master/files/tasks/file-jobs.ts';
import { Tasks } from '#master/files/tasks/tasks.ts';
import type { NewEvent } from '#master/store/event-log.ts';

const TASK = '4f5d1a52-8b8a-4a54-9d0f-0c3ac2e1c001';
const unused = (): never => {
  throw new Error('not used');
};
const NO_HITS = { hits: [], more: false, searched: 1 };

/** Creates the handlers. While a task runs, an owner revokes the right of viewers to read files. */
function setUp() {
  const events: NewEvent[] = [];
  let viewersRead = true;
  const revoke = <T>(result: T): Promise<T> => {
    viewersRead = false;
    return Promise.resolve(result);
  };
  const jobs: FileJobs = {
    ...{ requirePlaceForCopy: unused, storeCopy: unused },
    manifest: () => revoke([]),
    search: () => revoke(NO_HITS),
    copy: (_limit, { onEnd }) => {
      onEnd({ files: 1, bytes: 1, changed: true, planned: null });
      return Promise.resolve({ files: 1, bytes: 1, skipped: [] });
    },
  };
  const add = (event: NewEvent): number => events.push(event);
  const handlers = filesHandlers({
    ...{ jobs, events: { add }, viewersRead: () => viewersRead, tasks: new Tasks() },
  });
  return { handlers, events };
}

const caller = (role: 'viewer' | 'operator') =>
  ({ name: 'anna', role, templates: null, notify: () => undefined, onClose: () => undefined }) as const;
const search = (text: string | null) =>
  ({ task: TASK, folder: '/templates', name: '', text, caseSensitive: false, limit: 10 }) as const;
const forbidden = { code: 'FILE_CONTENTS_FORBIDDEN' };

it.each([
  [
    'files.search',
    (role: 'viewer' | 'operator') => setUp().handlers['files.search'](search('x'), caller(role)),
  ],
  [
    'files.manifest',
    (role: 'viewer' | 'operator') =>
      setUp().handlers['files.manifest']({ task: TASK, folder: '/templates', hashes: true }, caller(role)),
  ],
] as const)(
  '%s returns no result to a viewer whose right to read files was revoked meanwhile',
  async (_, run) => {
    await expect(run('viewer')).rejects.toMatchObject(forbidden);
    await expect(run('operator')).resolves.toBeDefined();
  },
);

it('a search for names returns its result even if viewers may not read files any more', async () => {
  expect(await setUp().handlers['files.search'](search(null), caller('viewer'))).toEqual(NO_HITS);
});

it.each([
  ['/templates/lobby/a.txt', '/templates/lobby/plugins', '/templates/lobby/a.txt'],
  ['/templates/arena/secret.txt', '/templates/lobby', 'a file or folder of /templates/arena'],
  ['/files/secret.txt', '/templates/lobby', 'a file or folder of /files'],
  ['/services/arena-1/secret.txt', '/templates/lobby', 'a file or folder of /services/arena-1'],
  ['/templates/arena/a.txt', '/files', '/templates/arena/a.txt'],
])('the event of a copy of %s to %s says that %s was copied', async (path, folder, what) => {
  const { handlers, events } = setUp();
  const request = { task: TASK, paths: [path], folder };
  await handlers['files.copy']({ ...request, onConflict: 'refuse' }, caller('operator'));
  expect(events.map(({ message }) => message)).toEqual([`anna copied ${what} to ${folder} (1 file)`]);
});
