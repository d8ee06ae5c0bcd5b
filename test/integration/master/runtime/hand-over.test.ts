import { execFileSync } from 'node:child_process';
import { chown, mkdir, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { NO_PROVISION, type ProvidedFile } from '#master/runtime/runtime.ts';
import { HAND_OVER_FILE } from '#shared/link/messages.ts';
import { buildProbeServer } from '#test/support/java/probe-server.ts';
import { runtimeFixture } from '#test/support/master/runtime-fixture.ts';
import { serviceSpec } from '#test/support/master/service-spec.ts';
import { runToolPython } from '#test/support/nodes/tool-python.ts';
import { temporaryFolder } from '#test/support/temporary-folder.ts';

const OLD = 'host=203.0.113.7\n';
const NEW = 'host=203.0.113.8\n';

/** Returns the text, the permission bits, the owner and the inode of a file. */
async function look(path: string): Promise<{ text: string; mode: string; uid: number; inode: number }> {
  const { mode, uid, ino } = await stat(path);
  return { text: await readFile(path, 'utf8'), mode: (mode & 0o777).toString(8), uid, inode: ino };
}

describe("refreshHandOver (updates the plugin's connection files on the master's machine)", () => {
  const given = (id: string, text = NEW) => ({ id, content: Buffer.from(text) });

  /** Starts services whose hand-over files have the old content. */
  async function running(...ids: string[]) {
    const probe = buildProbeServer();
    onTestFinished(probe.remove);
    const fixture = await runtimeFixture(probe.jar);
    const runtime = fixture.open();
    const file: ProvidedFile = { path: HAND_OVER_FILE, content: Buffer.from(OLD), mode: 0o600 };
    for (const id of ids) {
      await runtime.prepare(serviceSpec({ id }), { ...NO_PROVISION, files: [file] });
      await runtime.start(id);
    }
    const pathOf = (id: string): string => join(fixture.services, id, 'files', HAND_OVER_FILE);
    return { runtime: fixture.open(), pathOf, folder: fixture.folder };
  }

  it('replaces files whose content differs, and touches neither equal files nor processes', async () => {
    const { runtime, pathOf } = await running('lobby-1', 'lobby-2');
    const pidsNow = async () => (await runtime.observe()).map(({ pid }) => pid).sort();
    const pids = await pidsNow();
    const before = await look(pathOf('lobby-2'));
    const result = await runtime.refreshHandOver([given('lobby-1'), given('lobby-2', OLD), given('arena-7')]);
    expect(result).toEqual({ written: ['lobby-1'], failed: [] });
    expect(await look(pathOf('lobby-1'))).toMatchObject({ text: NEW, mode: '600' });
    expect(await look(pathOf('lobby-2'))).toEqual(before);
    expect(await pidsNow()).toEqual(pids);
    expect(await readdir(join(pathOf('lobby-1'), '..'))).not.toContain(`${HAND_OVER_FILE}.part`);
  });

  it('follows no links, reports a service that prevents the update, and updates the other services', async () => {
    const { runtime, pathOf, folder } = await running('lobby-1', 'lobby-2', 'lobby-3');
    const elsewhere = join(folder, 'elsewhere');
    await writeFile(elsewhere, 'kept');
    await rm(pathOf('lobby-1'));
    await symlink(elsewhere, pathOf('lobby-1'));
    await symlink(elsewhere, `${pathOf('lobby-1')}.part`);
    await rm(pathOf('lobby-2'));
    await mkdir(join(pathOf('lobby-2'), 'deep'), { recursive: true });
    await rm(pathOf('lobby-3'));
    execFileSync('mkfifo', [pathOf('lobby-3')]);
    const result = await runtime.refreshHandOver(['lobby-1', 'lobby-2', 'lobby-3'].map((id) => given(id)));
    expect([...result.written].sort()).toEqual(['lobby-1', 'lobby-3']);
    expect(result.failed).toEqual([{ id: 'lobby-2', why: expect.stringMatching(/directory/i) as string }]);
    expect(await readFile(elsewhere, 'utf8')).toBe('kept');
    for (const id of ['lobby-1', 'lobby-3']) {
      expect(await look(pathOf(id))).toMatchObject({ text: NEW, mode: '600' });
    }
  });
});

/**
 * Python code that makes the tool's modules use the folders of a test, and defines a function that calls the command.
 */
const COMMAND = `
import json
import hand_over, places
top = sys.argv[1]
places.SERVICES, places.NOTES, places.LOCKS = f'{top}/services', f'{top}/notes', f'{top}/locks'
if os.geteuid() != 0:
    os.setgroups = lambda groups: None
def refresh(ids, text):
    files = [{'id': id, 'text': text} for id in ids]
    return hand_over.refresh_hand_over({'name': 'overworld-link.properties', 'files': files})
`;

describe("the call refresh_hand_over (updates the plugin's connection files on a node)", () => {
  const isRoot = process.getuid?.() === 0;
  /** Returns the id of a service's user. The user needs no entry in the user database. */
  const userOf = (number: number): number => (isRoot ? 70_000 + number : (process.getuid?.() ?? 0));

  /** Creates the folders of services that run on a node. */
  async function node(...ids: string[]) {
    // As on a node, all users can access files below the parent folders.
    const top = temporaryFolder();
    execFileSync('chmod', ['711', top]);
    const pathOf = (id: string): string => join(top, 'services', id, HAND_OVER_FILE);
    for (const [index, id] of ids.entries()) {
      await mkdir(join(top, 'notes', id), { recursive: true });
      await writeFile(join(top, 'notes', id, 'service.json'), '{}');
      await mkdir(join(top, 'services', id), { recursive: true, mode: 0o700 });
      await writeFile(pathOf(id), OLD, { mode: 0o600 });
      if (!isRoot) continue;
      for (const path of [join(top, 'services', id), pathOf(id)])
        await chown(path, userOf(index), userOf(index));
    }
    execFileSync('chmod', ['711', join(top, 'services')]);
    const refresh = async (names: readonly string[], text = NEW): Promise<unknown> =>
      JSON.parse(
        await runToolPython(
          `${COMMAND}print(json.dumps(refresh(json.loads(sys.argv[2]), sys.argv[3])))`,
          top,
          JSON.stringify(names),
          text,
        ),
      );
    return { top, pathOf, refresh };
  }

  it('replaces files whose content differs, and the new files belong to the user of the service', async () => {
    const { pathOf, refresh } = await node('lobby-1', 'lobby-2');
    expect(await refresh(['lobby-1', 'lobby-2', 'arena-7'])).toEqual({
      written: ['lobby-1', 'lobby-2'],
      failed: [],
    });
    const first = await look(pathOf('lobby-1'));
    expect(first).toMatchObject({ text: NEW, mode: '600', uid: userOf(0) });
    expect(await look(pathOf('lobby-2'))).toMatchObject({ text: NEW, mode: '600', uid: userOf(1) });
    expect(await refresh(['lobby-1', 'lobby-2'])).toEqual({ written: [], failed: [] });
    expect(await look(pathOf('lobby-1'))).toEqual(first);
    expect(await readdir(join(pathOf('lobby-1'), '..'))).toEqual([HAND_OVER_FILE]);
  });

  it('follows no links, reports a service that prevents the update, and updates the other services', async () => {
    const { top, pathOf, refresh } = await node('lobby-1', 'lobby-2', 'lobby-3', 'lobby-4');
    const elsewhere = join(top, 'elsewhere');
    await writeFile(elsewhere, 'kept');
    await rm(pathOf('lobby-1'));
    await symlink(elsewhere, pathOf('lobby-1'));
    await symlink(elsewhere, `${pathOf('lobby-1')}.part`);
    await mkdir(`${pathOf('lobby-2')}.part`);
    await rm(pathOf('lobby-3'));
    execFileSync('mkfifo', [pathOf('lobby-3')]);
    expect(await refresh(['lobby-1', 'lobby-2', 'lobby-3', 'lobby-4'])).toEqual({
      written: ['lobby-1', 'lobby-3', 'lobby-4'],
      failed: [{ id: 'lobby-2', why: expect.stringMatching(/directory|permitted/i) as string }],
    });
    expect(await readFile(elsewhere, 'utf8')).toBe('kept');
    expect(await look(pathOf('lobby-1'))).toMatchObject({ text: NEW, mode: '600', uid: userOf(0) });
    expect(await look(pathOf('lobby-2'))).toMatchObject({ text: OLD });
  });

  it('skips and reports a service on which another call is working', async () => {
    const { top, pathOf } = await node('lobby-1', 'lobby-2');
    const result = await runToolPython(
      `${COMMAND}
import locks
with locks.of('lobby-1'):
    print(json.dumps(refresh(['lobby-1', 'lobby-2'], sys.argv[2])))`,
      top,
      NEW,
    );
    expect(JSON.parse(result)).toEqual({
      written: ['lobby-2'],
      failed: [{ id: 'lobby-1', why: 'another call is working on the service' }],
    });
    expect(await look(pathOf('lobby-1'))).toMatchObject({ text: OLD });
  });

  it.skipIf(!isRoot)(
    "writes nothing outside of the service's folder, even if the service replaces its files with links",
    async () => {
      const { top } = await node('lobby-1');
      const victim = join(top, 'services/victim');
      await writeFile(victim, 'kept', { mode: 0o644 });
      const result = await runToolPython(
        `${COMMAND}
import signal
user = int(sys.argv[3])
attacker = os.fork()
if attacker == 0:
    os.setgroups([]); os.setgid(user); os.setuid(user)
    os.chdir(f'{places.SERVICES}/lobby-1')
    names = ('overworld-link.properties', 'overworld-link.properties.part')
    while True:
        for name in names:
            for make in (lambda: os.symlink(sys.argv[2], 'swap'), lambda: os.link(sys.argv[2], 'swap')):
                try:
                    make()
                    os.rename('swap', name)
                except OSError:
                    pass
try:
    tries = [refresh(['lobby-1'], f'host={number}\\n') for number in range(1000)]
finally:
    os.kill(attacker, signal.SIGKILL)
    os.waitpid(attacker, 0)
print(json.dumps([sum(len(one[key]) for one in tries) for key in ('written', 'failed')]))
print(json.dumps([os.geteuid(), os.getegid()]))`,
        top,
        victim,
        String(userOf(0)),
      );
      const [counts = '', rights = ''] = result.split('\n');
      const [written, failed] = JSON.parse(counts) as [number, number];
      expect(written + failed).toBe(1_000);
      expect(written).toBeGreaterThan(0);
      expect(JSON.parse(rights)).toEqual([0, process.getgid?.()]);
      expect(await look(victim)).toMatchObject({ text: 'kept', mode: '644', uid: 0 });
      expect((await readdir(join(top, 'services'))).sort()).toEqual(['lobby-1', 'victim']);
    },
  );
});
