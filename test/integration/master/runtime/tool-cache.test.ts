import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { runToolPython } from '#test/support/nodes/tool-python.ts';
import { temporaryFolder } from '#test/support/temporary-folder.ts';

/**
 * Python program that calls `want`, `store` and `copy_out` for a layout with one entry, with a cache in a folder of
 * the test. For each call, prints a line with the result or with the kind of its problem. Before `store` and
 * `copy_out`, puts the layout into the cache, as another version of the tool could do.
 */
const CALLS = `
import collections, json
import places
from layouts import cache, sync
from problem import Problem
places.CACHE, places.LOCKS = f'{sys.argv[1]}/cache', f'{sys.argv[1]}/locks'
layout, entries = '0' * 32, [json.loads(sys.argv[2])]
known = json.dumps({'template': 'lobby', 'entries': entries})
owner = collections.namedtuple('Owner', ('pw_uid', 'pw_gid'))(os.getuid(), os.getgid())
for name in ('files', 'layouts'):
    os.makedirs(f'{cache.here()}/{name}')
with open(f'{cache.here()}/files/{"a" * 64}', 'w') as file:
    file.write('hello')
def attempt(call):
    try:
        print(json.dumps(call()))
    except Problem as problem:
        print(problem.kind)
attempt(lambda: sync.want({'layout': layout, 'template': 'lobby', 'entries': entries}))
places.replace(sync.wanted_path(layout), known)
attempt(lambda: sync.store({'layout': layout, 'files': 0}))
places.replace(cache.layout_path(layout), known)
attempt(lambda: len(cache.copy_out(layout, f'{sys.argv[1]}/service', owner)))
`;

/** Runs the calls. Returns the three lines, and the names in the folder of the test after the calls. */
async function callsWith(entry: readonly unknown[]) {
  const top = temporaryFolder();
  await writeFile(join(top, 'secret'), 'SECRET');
  const printed = await runToolPython(CALLS, top, JSON.stringify(entry));
  return { printed: printed.trimEnd().split('\n'), names: (await readdir(top)).sort() };
}

const HASH = 'a'.repeat(64);

it.each([
  ['a file', ['plugins/a.jar', 5, 0o640, HASH]],
  ['a file with a strange name', ['..plugins/.../a\n\\', 5, 0o640, HASH]],
  ['an empty folder', ['plugins/', 0, 0o750, '']],
])('the tool on a node places %s from its cache', async (_, entry) => {
  const { printed, names } = await callsWith(entry);
  expect(printed).toEqual(['{"missing": []}', '{"received": 0}', '1']);
  expect(names).toEqual(['cache', 'locks', 'secret', 'service']);
});

it.each([
  ['a hash that is a path', ['a', 6, 0o640, '../../../secret']],
  ['a hash that is an absolute path', ['a', 6, 0o640, '/etc/hostname']],
  ['a hash that is too short', ['a', 5, 0o640, 'a'.repeat(63)]],
  ['a hash with a line end', ['a', 5, 0o640, `${HASH}\n`]],
  ['a path that leads out of the folder', ['../outside', 5, 0o640, HASH]],
  ['a folder path that leads out of the folder', ['plugins/../../outside/', 0, 0o640, '']],
  ['an absolute path', ['/tmp/a', 5, 0o640, HASH]],
  ['a path with an empty part', ['plugins//a', 5, 0o640, HASH]],
  ['an empty path', ['', 5, 0o640, HASH]],
  ['the path of the folder itself', ['./', 0, 0o640, '']],
  ['a path with a NUL byte', ['a\0', 5, 0o640, HASH]],
  ['a path that is too long', [`${'a/'.repeat(2_048)}a`, 5, 0o640, HASH]],
  ['a negative size', ['a', -1, 0o640, HASH]],
  ['an entry without a mode', ['a', 5, HASH]],
])('the tool on a node refuses a file list that contains %s', async (_, entry) => {
  const { printed, names } = await callsWith(entry);
  // If a layout is missing, the master sends it again.
  expect(printed).toEqual(['failed', 'failed', 'layout-missing']);
  expect(names).toEqual(['cache', 'locks', 'secret']);
});
