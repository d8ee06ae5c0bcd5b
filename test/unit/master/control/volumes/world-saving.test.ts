import { describe, expect, it } from 'vitest';
import { WorldSaving } from '#master/control/volumes/world-saving.ts';
import { mustResume, type PauseRequest, type SavingPause } from '#master/runtime/saving-pause.ts';

const ID = 'survival-1';

/** Returns a node with one server. `events` lists the events on the node in their order. */
function aNode(answer: SavingPause['answer']) {
  const events: string[] = [];
  const node = {
    answer,
    isReachable: true,
    /** Whether the server reads its console when the pause ends. */
    readsConsole: true,
    during: (): void => undefined,
    fails: false,
  };
  const runtime = {
    command: async (_: string, line: string) => {
      // A command takes a moment to arrive.
      await Promise.resolve();
      if (!node.isReachable) throw new Error('the node cannot be reached');
      events.push(line);
    },
    takeSnapshot: async (_: string, pause?: PauseRequest) => {
      await Promise.resolve();
      events.push(pause === undefined ? 'snapshot' : pause.mayBePaused ? 'paused again' : 'paused');
      node.during();
      if (!node.isReachable) throw new Error('the connection was lost');
      const resumed = mustResume(node.answer, pause ?? { mayBePaused: false }) && node.readsConsole;
      const flushed = node.answer === 'off' || node.answer === 'already-off';
      pause?.ended({ answer: node.answer, flushed, resumed, ms: 1 });
      if (node.fails) throw new Error('the disk is full');
      return true;
    },
  };
  const note = {
    begin: () => Promise.resolve(void events.push('(noted)')),
    end: () => Promise.resolve(void events.push('(end noted)')),
  };
  return { events, node, place: { runtime, note } };
}

describe('a server during a snapshot of its files', () => {
  it('is recorded as paused before the pause begins, and the record remains until the pause ends', async () => {
    const { events, place } = aNode('off');
    expect(await new WorldSaving().takeSnapshot(ID, place)).toEqual({ found: true, consistent: true });
    expect(events).toEqual(['(noted)', 'paused', '(end noted)']);
  });

  it('is not asked by the control loop to resume saving during the snapshot', async () => {
    const { node, events, place } = aNode('already-off');
    const worlds = new WorldSaving();
    worlds.expectPaused(ID);
    expect(worlds.hasToResume(ID)).toBe(true);
    const during: boolean[] = [];
    node.during = () => {
      during.push(worlds.hasToResume(ID));
      worlds.expectPaused(ID);
      during.push(worlds.hasToResume(ID));
    };
    await worlds.takeSnapshot(ID, place);
    expect(during).toEqual([false, false]);
    expect(events).toEqual(['(noted)', 'paused again', '(end noted)']);
    expect(worlds.hasToResume(ID)).toBe(false);
  });

  it('is asked to resume saving if the master learns during the snapshot that an earlier master paused the server', async () => {
    const { node, events, place } = aNode('already-off');
    const worlds = new WorldSaving();
    node.during = () => worlds.expectPaused(ID);
    await worlds.takeSnapshot(ID, place);
    expect(events).toEqual(['(noted)', 'paused', 'save-on', '(end noted)']);
  });

  it('is paused only after an earlier request to resume saving has been sent', async () => {
    const { events, place } = aNode('off');
    const worlds = new WorldSaving();
    worlds.expectPaused(ID);
    const resumed = worlds.resume(ID, place.runtime);
    await worlds.takeSnapshot(ID, place);
    expect(await resumed).toBe(true);
    expect(events).toEqual(['save-on', '(noted)', 'paused', '(end noted)']);
  });

  it('is asked to resume saving once its node is connected again, if the connection broke during the snapshot', async () => {
    const { node, events, place } = aNode('off');
    const worlds = new WorldSaving();
    node.during = () => (node.isReachable = false);
    await expect(worlds.takeSnapshot(ID, place)).rejects.toThrow('the connection was lost');
    expect(worlds.hasToResume(ID)).toBe(true);
    node.isReachable = true;
    expect(await worlds.resume(ID, place.runtime)).toBe(true);
    expect(worlds.hasToResume(ID)).toBe(false);
    expect(events).toEqual(['(noted)', 'paused', 'save-on']);
  });

  it('is asked to resume saving if it did not read its console when the pause ended', async () => {
    const { node, events, place } = aNode('off');
    node.readsConsole = false;
    const worlds = new WorldSaving();
    await worlds.takeSnapshot(ID, place);
    expect(events).toEqual(['(noted)', 'paused', 'save-on', '(end noted)']);
  });

  it('is not asked to resume saving if an admin had turned saving off, even if the snapshot fails', async () => {
    const { node, events, place } = aNode('already-off');
    const worlds = new WorldSaving();
    expect(await worlds.takeSnapshot(ID, place)).toEqual({ found: true, consistent: true });
    node.fails = true;
    await expect(worlds.takeSnapshot(ID, place)).rejects.toThrow('the disk is full');
    expect(events).toEqual(['(noted)', 'paused', '(end noted)', '(noted)', 'paused', '(end noted)']);
    expect(worlds.hasToResume(ID)).toBe(false);
  });

  it('is paused again at the next save if it did not answer, but not if it does not know the command', async () => {
    const { node, events, place } = aNode('silent');
    const worlds = new WorldSaving();
    const save = async () => (await worlds.takeSnapshot(ID, place)).consistent;
    expect(await save()).toBe(false);
    node.answer = 'off';
    expect(await save()).toBe(true);
    node.answer = 'unknown';
    expect(await save()).toBe(false);
    expect(worlds.hasToResume(ID)).toBe(false);
    events.length = 0;
    expect(await save()).toBe(false);
    expect(events).toEqual(['snapshot']);
    worlds.keepOnly(new Set());
    node.answer = 'off';
    expect(await save()).toBe(true);
  });
});
