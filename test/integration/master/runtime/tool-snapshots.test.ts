import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { constants } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { SnapshotListReader } from '#master/runtime/systemd/snapshots/snapshot-list-reader.ts';
import { runToolPython as python } from '#test/support/nodes/tool-python.ts';
import { temporaryFolder } from '#test/support/temporary-folder.ts';

const HASH = 'ab'.repeat(32);

/**
 * Python program that lets the tool find the persistent files in the folder of a service. If the tool refuses the
 * files, prints the reason.
 */
const WALK = `
import re
import places
from problem import Problem
from volumes import snapshot
places.SERVICES = sys.argv[1]
walk = snapshot.Walk('lobby-1', [re.compile('.*', re.DOTALL)], None, {})
try:
    walk.run()
    print(len(walk.files), len(walk.skipped), end="")
except Problem as problem:
    print(problem.why, end="")
`;

/**
 * Python program that writes the list of a snapshot with 200,000 names of 100 characters, and lets the tool read and
 * send the list.
 */
const LARGE_LIST = `
import json
from volumes import send, snapshot
snapshot.SNAPSHOTS = sys.argv[1]
name = 'ä' * 10 + 'x' * 84
files = [
    {'path': f'{name}{at:06}', 'size': at, 'mode': 0o644, 'modifiedNs': 1_700_000_000_123_456_789, 'hash': sys.argv[2]}
    for at in range(200_000)
]
with open(snapshot.list_path('lobby-1'), 'w') as out:
    out.write(json.dumps({'files': files, 'skipped': ['link']}))
snapshot.read({'id': 'lobby-1'})
sys.stdout = open(sys.argv[3], 'w')
send.send_list({'id': 'lobby-1'})
`;

/**
 * Python program that lets the tool take a snapshot of a running service with two files on a disk with a given free
 * space, whose file system cannot share blocks. Then ends the snapshot, whose files were not stored. Prints the problem
 * of the snapshot, and what the notes contain after the snapshot and at the end.
 */
const TAKE = `
import json, shutil
import places, systemctl
from layouts import cache
from volumes import snapshot
top, free = sys.argv[1], int(sys.argv[2])
places.SERVICES, places.NOTES, places.LOCKS = (f'{top}/{name}' for name in ('services', 'notes', 'locks'))
snapshot.SNAPSHOTS = f'{top}/snapshots'
systemctl.look_at = lambda id: {'alive': True}
cache.free_bytes = lambda file: free
cache.Copier._share = lambda self, source, target: False
os.makedirs(f'{top}/services/lobby-1')
os.makedirs(places.notes('lobby-1'))
for name in ('a', 'b'):
    with open(f'{top}/services/lobby-1/{name}', 'wb') as file:
        file.truncate(1 << 20)
places.replace(f'{places.notes("lobby-1")}/service.json', json.dumps({'persistent': ['.*']}))
places.replace(f'{places.notes("lobby-1")}/start', 'boot\\n1.5\\n')
def contents():
    return sorted([*os.listdir(places.notes('lobby-1')), *places.names(snapshot.SNAPSHOTS)])
problem = None
try:
    snapshot.take({'id': 'lobby-1', 'pause': None})
except OSError as error:
    problem = error.errno
taken = contents()
snapshot.end({'id': 'lobby-1', 'stored': False})
print(json.dumps({'problem': problem, 'taken': taken, 'left': contents()}))
`;

/** Python program that adds persistent paths to the record of a service in two calls. Prints the record. */
const ADD_PATHS = `
import json
import places
from volumes import snapshot
places.LOCKS = f'{sys.argv[1]}/locks'
places.NOTES = f'{sys.argv[1]}/notes'
os.makedirs(places.notes('lobby-1'))
places.replace(f'{places.notes("lobby-1")}/service.json', json.dumps({'port': 25565, 'spec': {'id': 'lobby-1'}}))
for paths in (['world/'], ['world/', 'plugins/']):
    snapshot.add_paths({'id': 'lobby-1', 'paths': paths, 'patterns': [f'^{path}' for path in paths]})
snapshot.add_paths({'id': 'lobby-2', 'paths': ['world/'], 'patterns': ['^world/']})
print(places.read(f'{places.notes("lobby-1")}/service.json'), end="")
`;

describe('the snapshots that the tool on a node creates', () => {
  it('add new persistent paths to the record of their service, each path once, and change nothing else in it', async () => {
    const record: unknown = JSON.parse(await python(ADD_PATHS, temporaryFolder()));
    expect(record).toEqual({
      port: 25_565,
      spec: { id: 'lobby-1', persistentPaths: ['world/', 'plugins/'] },
      persistent: ['^world/', '^plugins/'],
    });
  });

  it('can contain a list of 200,000 files, which the master can read', async () => {
    const [snapshots, target] = [temporaryFolder(), join(temporaryFolder(), 'sent')];
    await python(LARGE_LIST, snapshots, HASH, target);
    const sent = await readFile(target);
    // The list is longer than an answer to a call in a session may be.
    expect(sent.length).toBeGreaterThan(16 * 1_048_576);
    const reader = new SnapshotListReader();
    const piece = 65_521;
    for (let at = 0; at < sent.length; at += piece) {
      expect(reader.list).toBeNull();
      reader.add(sent.subarray(at, at + piece));
    }
    expect(reader.list?.files).toHaveLength(200_000);
    expect(reader.list?.files.at(-1)).toEqual({
      path: `${'ä'.repeat(10)}${'x'.repeat(84)}199999`,
      ...{ size: 199_999, mode: 0o644, modifiedAtMs: 1_700_000_000_123.4568, hash: HASH },
    });
    expect(reader.list?.skipped).toEqual(['link']);
  });

  it('leave 256 MiB of the disk free, and leave no copies if this is not possible', async () => {
    const kept = ['service.json', 'start'];
    const missing: unknown = JSON.parse(await python(TAKE, temporaryFolder(), String((257 << 20) - 1)));
    expect(missing).toEqual({ problem: constants.errno.ENOSPC, taken: kept, left: kept });
    const enough: unknown = JSON.parse(await python(TAKE, temporaryFolder(), String(257 << 20)));
    expect(enough).toMatchObject({ problem: null, taken: ['lobby-1', 'service.json', 'snapshot', 'start'] });
  });

  it('leave nothing if their files could not be stored, so that the next save reads the files again', async () => {
    const text = await python(TAKE, temporaryFolder(), String(1 << 30));
    expect(JSON.parse(text)).toMatchObject({ problem: null, left: ['service.json', 'start'] });
  });

  it('are refused if the paths of all files together are longer than 32 MiB', async () => {
    const top = temporaryFolder();
    await mkdir(join(top, 'lobby-1'));
    // Each path has about 4,000 characters.
    await python(
      `
folder = os.open(f'{sys.argv[1]}/lobby-1', os.O_RDONLY)
for at in range(15):
    os.mkdir('f' * 250, dir_fd=folder)
    folder = os.open('f' * 250, os.O_RDONLY, dir_fd=folder)
for at in range(8_500):
    os.close(os.open(f'{at:0240}', os.O_WRONLY | os.O_CREAT, dir_fd=folder))
`,
      top,
    );
    expect(await python(WALK, top)).toBe('the paths of its persistent files have more than 32 MiB');
  });

  it('name at most 100 skipped files', async () => {
    const top = temporaryFolder();
    await mkdir(join(top, 'lobby-1'));
    await writeFile(join(top, 'lobby-1/level.dat'), '');
    await python('for at in range(101): os.symlink("x", f"{sys.argv[1]}/lobby-1/{at}")', top);
    expect(await python(WALK, top)).toBe('1 100');
  });
});
