import { beforeAll, describe, expect, it } from 'vitest';
import type { SavingPause } from '#master/runtime/runtime.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { worldServerJar } from '../../support/players/world-server.ts';
import { sharedLab } from '../kit/lab.ts';
import { bootKeyed, nodeStage, sees, type KeyedNode } from '../stage/node-stage.ts';

const ID = 'lobby-1';

/** journald wakes readers of its files only at this interval (ms). */
const JOURNALD_WAKES_MS = 250;

const lab = sharedLab();
let keyed: KeyedNode;
beforeAll(async () => {
  keyed = await bootKeyed(lab);
});

describe('a snapshot of a running server on a node', () => {
  it('keeps the server from writing for less time than journald needs to report a line', async () => {
    const { open, spec } = await nodeStage(keyed, await worldServerJar());
    const runtime = open();
    await runtime.prepare(await spec({ persistentPaths: ['world/'] }));
    await runtime.start(ID);
    await sees(runtime, /Done \(/);
    const pauses: SavingPause[] = [];
    // On a busy machine, some of the pauses take longer.
    for (let i = 0; i < 5; i += 1) {
      const request = { mayBePaused: false, ended: (pause: SavingPause) => void pauses.push(pause) };
      expect(await runtime.takeSnapshot(ID, request)).toBe(true);
    }
    for (const pause of pauses) expect(pause).toMatchObject({ answer: 'off', flushed: true, resumed: true });
    expect(Math.min(...pauses.map(({ ms }) => ms))).toBeLessThan(JOURNALD_WAKES_MS);
    const { files } = await runtime.readSnapshot(ID);
    const folder = temporaryFolder();
    await runtime.fetchSnapshot(ID, files, folder);
    expect(files.map(({ path }) => path)).toContain('world/counter');
    await sees(runtime, /Automatic saving is now enabled/);
  });

  it('does not turn on saving that an admin has turned off', async () => {
    const { open, spec } = await nodeStage(keyed, await worldServerJar());
    const runtime = open();
    await runtime.prepare(await spec({ persistentPaths: ['world/'] }));
    await runtime.start(ID);
    await sees(runtime, /Done \(/);
    await runtime.command(ID, 'save-off');
    await sees(runtime, /Automatic saving is now disabled/);
    const pauses: SavingPause[] = [];
    const ended = (pause: SavingPause): void => void pauses.push(pause);
    await runtime.takeSnapshot(ID, { mayBePaused: false, ended });
    await runtime.takeSnapshot(ID, { mayBePaused: true, ended });
    expect(pauses).toMatchObject([
      { answer: 'already-off', flushed: true, resumed: false },
      { answer: 'already-off', flushed: true, resumed: true },
    ]);
    await sees(runtime, /Automatic saving is now enabled/);
  });
});
