import { beforeAll, describe, expect, it } from 'vitest';
import type { Runtime, SavingPause } from '#master/runtime/runtime.ts';
import { SAVE_OFF } from '#master/runtime/saving-pause.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { worldServerJar } from '../../support/players/world-server.ts';
import { sharedLab } from '../kit/lab.ts';
import { bootKeyed, nodeStage, sees, type KeyedNode } from '../stage/node-stage.ts';

/** Interval at which journald wakes the readers of its files (ms). */
const JOURNALD_WAKES_MS = 250;

const lab = sharedLab();
let keyed: KeyedNode;
beforeAll(async () => {
  keyed = await bootKeyed(lab);
});

/**
 * Starts a server with a world. Each test needs a different id, because the node's journal contains the lines of all
 * tests.
 */
async function startServer(id: string): Promise<Runtime> {
  const { open, spec } = await nodeStage(keyed, await worldServerJar());
  const runtime = open();
  await runtime.prepare(await spec({ id, persistentPaths: ['world/'] }));
  await runtime.start(id);
  await sees(runtime, /Done \(/, id);
  return runtime;
}

describe('a snapshot of a running server on a node', () => {
  it('turns off the saving of the server for less time than journald needs to report a line (best of five snapshots)', async () => {
    const id = 'lobby-1';
    const runtime = await startServer(id);
    const pauses: SavingPause[] = [];
    // On a busy machine, some of the pauses take longer.
    for (let i = 0; i < 5; i += 1) {
      const request = { mayBePaused: false, ended: (pause: SavingPause) => void pauses.push(pause) };
      expect(await runtime.takeSnapshot(id, request)).toBe(true);
    }
    for (const pause of pauses) expect(pause).toMatchObject({ answer: 'off', flushed: true, resumed: true });
    expect(Math.min(...pauses.map(({ ms }) => ms))).toBeLessThan(JOURNALD_WAKES_MS);
    const { files } = await runtime.readSnapshot(id);
    const folder = temporaryFolder();
    await runtime.fetchSnapshot(id, files, folder);
    expect(files.map(({ path }) => path)).toContain('world/counter');
    await sees(runtime, /Automatic saving is now enabled/, id);
  });

  it('does not turn on saving that an admin has turned off', async () => {
    const id = 'lobby-2';
    const runtime = await startServer(id);
    await runtime.command(id, 'save-off');
    await sees(runtime, /Automatic saving is now disabled/, id);
    const pauses: SavingPause[] = [];
    const ended = (pause: SavingPause): void => void pauses.push(pause);
    await runtime.takeSnapshot(id, { mayBePaused: false, ended });
    await runtime.takeSnapshot(id, { mayBePaused: true, ended });
    expect(pauses).toMatchObject([
      { answer: 'already-off', flushed: true, resumed: false },
      { answer: 'already-off', flushed: true, resumed: true },
    ]);
    await sees(runtime, /Automatic saving is now enabled/, id);
  });

  it('does not wait for the answer of a server that has exited', async () => {
    const id = 'lobby-3';
    const runtime = await startServer(id);
    const kill = `systemctl kill overworld@${id} --kill-whom=all --signal`;
    await keyed.node.must(`${kill} STOP`);
    const pauses: SavingPause[] = [];
    const request = { mayBePaused: false, ended: (pause: SavingPause) => void pauses.push(pause) };
    const begunAt = performance.now();
    const taken = runtime.takeSnapshot(id, request);
    await keyed.node.must(`${kill} KILL`);
    expect(await taken).toBe(true);
    expect(performance.now() - begunAt).toBeLessThan(SAVE_OFF.withinMs);
    expect(pauses).toMatchObject([{ answer: 'silent', flushed: false }]);
  });
});
