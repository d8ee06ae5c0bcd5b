import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { toToolRequest } from '#master/runtime/systemd/snapshots/pause-request.ts';
import { stripAnsi } from '#shared/text/ansi.ts';
import { runToolPython as python } from '#test/support/nodes/tool-python.ts';
import { temporaryFolder } from '#test/support/temporary-folder.ts';

const OFF = '[12:00:00 INFO]: Automatic saving is now disabled';
const ALREADY_OFF = '[12:00:00] [Server thread/INFO]: Saving is already turned off';
const SAVING = '[12:00:00 INFO]: Saving the game (this may take a moment!)';
const SAVED = '[12:00:01 INFO]: Saved the game';
const UNKNOWN = '[12:00:00 INFO]: Unknown or incomplete command, see below for error';

/** Python program that lets the tool take a snapshot of `survival-1`, whose server reads its console in a thread. */
const TAKE = `
import json, queue, threading, time
import locks, places, systemctl
from layouts import cache
from volumes import pause, snapshot
top, server, request = sys.argv[1], json.loads(sys.argv[2]), json.loads(sys.argv[3])
places.SERVICES, places.NOTES, places.CONSOLES, places.LOCKS = (f'{top}/{name}' for name in ('services', 'notes', 'consoles', 'locks'))
snapshot.SNAPSHOTS = f'{top}/snapshots'
snapshot.STAMP_STEP_NS = server['stepNs']
systemctl.look_at = lambda id: {'alive': True}
world = f'{top}/services/survival-1/world'
sent, copied, printed, seen = [], [], queue.Queue(), {}

class Lines:
    def within(self, seconds):
        until = time.monotonic() + min(seconds, server['patience'])
        while (left := until - time.monotonic()) > 0:
            try:
                yield printed.get(timeout=left)
            except queue.Empty:
                return
    def close(self):
        pass

def serve(console):
    for line in console:
        line = line.rstrip('\\n')
        if line == 'end of the test':
            return
        sent.append(line)
        if line == 'save-all flush':
            # What a stop would need.
            with locks.of('survival-1', wait=False) as free:
                seen['stoppable'] = free
            for path, text in server['writes'].items():
                with open(f'{world}/{path}', 'w') as file:
                    file.write(text)
            if server['removed']:
                os.unlink(f'{top}/notes/survival-1/start')
        for answer in server['answers'].get(line, []):
            printed.put(answer)

class Copier(cache.Copier):
    def copy(self, source, target, size):
        copied.append(os.path.basename(os.readlink(f'/proc/self/fd/{source}')))
        if server['full'] and len(sent) > 0:
            raise OSError(28, 'No space left on device', None)
        super().copy(source, target, size)

pause.ConsoleLines = lambda id: Lines()
cache.Copier = Copier
os.mkfifo(places.console('survival-1'))
console = os.open(places.console('survival-1'), os.O_RDWR)
thread = threading.Thread(target=serve, args=(os.fdopen(os.dup(console), 'r'),))
thread.start()
taken = snapshot.take({'id': 'survival-1', 'pause': request})
os.write(console, b'end of the test\\n')
thread.join()
files = {}
if taken['problem'] is None:
    for file in snapshot.list_of('survival-1')['files']:
        with snapshot.open_content('survival-1', file) as content:
            files[file['path']] = content.read().decode()
print(json.dumps({'taken': taken, 'sent': sent, 'copied': sorted(copied), 'files': files, **seen}))
`;

interface FakeServer {
  /** Lines that the server prints after each command. */
  readonly answers?: Record<string, readonly string[]>;
  /** Files of the world that the server writes when it is asked to write all data. */
  readonly writes?: Record<string, string>;
  /** Whether the disk is full during the pause. */
  readonly full?: boolean;
  /** Whether the service is removed during the pause. */
  readonly removed?: boolean;
  /**
   * Minimum age of a change at which its stamp is reliable (ns). By default 0, because all files of the test are new.
   */
  readonly stepNs?: number;
}

interface Taken {
  readonly taken: {
    readonly found: boolean;
    readonly pause: {
      readonly answer: string;
      readonly flushed: boolean;
      readonly resumed: boolean;
      readonly ms: number;
    };
    readonly problem: { readonly kind: string; readonly why: string } | null;
  };
  /** Lines that the server read from its console. */
  readonly sent: readonly string[];
  /** Names of the copied files. A file that was copied several times occurs several times. */
  readonly copied: readonly string[];
  readonly files: Record<string, string>;
  readonly stoppable: boolean;
  /** What the service's notes contain after the snapshot. */
  readonly notes: readonly string[];
}

const HOUR_NS = 3_600e9;

const MINECRAFT = { 'save-off': [OFF], 'save-all flush': [SAVING, SAVED] };

async function take(server: FakeServer, { mayBePaused } = { mayBePaused: false }): Promise<Taken> {
  const top = temporaryFolder();
  for (const folder of ['services/survival-1/world', 'notes/survival-1', 'consoles', 'locks'])
    await mkdir(join(top, folder), { recursive: true });
  const notes = join(top, 'notes/survival-1');
  await writeFile(join(notes, 'service.json'), JSON.stringify({ persistent: ['world/.*'] }));
  await writeFile(join(notes, 'start'), 'boot\n1.5\n');
  const world = join(top, 'services/survival-1/world');
  await writeFile(join(world, 'level.dat'), 'level');
  await writeFile(join(world, 'region.mca'), 'old');
  const patience = server.answers === undefined ? 0.2 : 60;
  const full = {
    answers: {},
    writes: {},
    full: false,
    removed: false,
    stepNs: -HOUR_NS,
    patience,
    ...server,
  };
  const text = await python(TAKE, top, JSON.stringify(full), JSON.stringify(toToolRequest({ mayBePaused })));
  return { ...(JSON.parse(text) as Omit<Taken, 'notes'>), notes: await readdir(notes) };
}

describe('a snapshot during which the tool on the node pauses the server', () => {
  it('contains what the server has written on request, and lets the server write again afterwards', async () => {
    const { taken, sent, files, stoppable } = await take({
      answers: MINECRAFT,
      writes: { 'region.mca': 'new' },
    });
    expect(taken).toMatchObject({ found: true, problem: null });
    expect(taken.pause).toMatchObject({ answer: 'off', flushed: true, resumed: true });
    expect(taken.pause.ms).toBeGreaterThan(0);
    expect(sent).toEqual(['save-off', 'save-all flush', 'save-on']);
    expect(files).toEqual({ 'world/level.dat': 'level', 'world/region.mca': 'new' });
    expect(stoppable).toBe(true);
  });

  it('copies only changed files during the pause, because all files were copied in advance', async () => {
    const { copied } = await take({ answers: MINECRAFT, writes: { 'region.mca': 'new' } });
    expect(copied).toEqual(['level.dat', 'region.mca', 'region.mca']);
  });

  it('copies recently changed files again, because a further change may be unnoticed', async () => {
    const { copied, files } = await take({ answers: MINECRAFT, stepNs: HOUR_NS });
    expect(copied).toEqual(['level.dat', 'level.dat', 'region.mca', 'region.mca']);
    expect(files).toEqual({ 'world/level.dat': 'level', 'world/region.mca': 'old' });
  });

  it('is not marked as complete if the server does not know the commands', async () => {
    const { taken, sent, files } = await take({
      answers: { 'save-off': [UNKNOWN], 'save-all flush': [UNKNOWN] },
    });
    expect(taken.pause).toEqual({ answer: 'unknown', flushed: false, resumed: false, ms: 0 });
    expect(sent).toEqual(['save-off', 'save-all flush']);
    expect(files).toHaveProperty(['world/region.mca'], 'old');
  });

  it('is not marked as complete if the server does not answer, and still ends with the command save-on', async () => {
    const { taken, sent, files } = await take({});
    expect(taken.pause).toMatchObject({ answer: 'silent', flushed: false, resumed: true });
    expect(sent).toEqual(['save-off', 'save-all flush', 'save-on']);
    expect(files).toHaveProperty(['world/region.mca'], 'old');
  });

  it('leaves saving off if an admin turned it off, but not if the master itself may have turned it off', async () => {
    const server = { answers: { ...MINECRAFT, 'save-off': [ALREADY_OFF] } };
    const byAdmin = await take(server);
    expect(byAdmin.taken.pause).toEqual({ answer: 'already-off', flushed: true, resumed: false, ms: 0 });
    expect(byAdmin.sent).toEqual(['save-off', 'save-all flush']);
    const byMaster = await take(server, { mayBePaused: true });
    expect(byMaster.taken.pause).toMatchObject({ answer: 'already-off', flushed: true, resumed: true });
    expect(byMaster.sent.at(-1)).toBe('save-on');
  });

  it('reports that the disk is full, and how the pause ended, and leaves no copies', async () => {
    const server = { answers: MINECRAFT, writes: { 'region.mca': 'new' }, full: true };
    const { taken, sent, notes } = await take(server);
    expect(taken.problem?.kind).toBe('disk-full');
    expect(taken.pause).toMatchObject({ answer: 'off', resumed: true });
    expect(sent.at(-1)).toBe('save-on');
    expect([...notes].sort()).toEqual(['service.json', 'start']);
  });

  it('fails if the service was removed meanwhile', async () => {
    const { taken, sent, notes } = await take({ answers: MINECRAFT, removed: true });
    expect(taken.problem).toEqual({ kind: 'changed', why: 'it was removed meanwhile' });
    expect(sent.at(-1)).toBe('save-on');
    expect(notes).toEqual(['service.json']);
  });

  it.each([
    ['with colours', `\x1b[32m${OFF}\x1b[m`],
    ['after a prompt', `> ${OFF}`],
    ['over a prompt', `>....\r\x1b[K${OFF}`],
    ['over a progress bar', `Saving 99%\r${OFF}`],
  ])('understands an answer that is printed %s', async (_, line) => {
    expect(stripAnsi(line)).toBe(OFF);
    const { taken } = await take({ answers: { ...MINECRAFT, 'save-off': [line] } });
    expect(taken.pause).toMatchObject({ answer: 'off', flushed: true });
  });

  it('does not take a message of a player for an answer', async () => {
    const chat = '[12:00:00 INFO]: <Steve> Automatic saving is now disabled';
    const { taken } = await take({ answers: { 'save-off': [chat, UNKNOWN] } });
    expect(taken.pause.answer).toBe('unknown');
  });
});
