import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { consoleTabs, MOST_TABS, tabKey } from '#renderer/stores/console/console-tabs.svelte.ts';
import { MergedLog, MOST_MERGED } from '#renderer/stores/console/merged-log.svelte.ts';
import { takeConsole } from '#renderer/stores/console/open-consoles.ts';
import type { ServiceConsole } from '#renderer/stores/console/service-console.svelte.ts';
import { link } from '#renderer/stores/connection/link.svelte.ts';
import { OverworldError } from '#shared/errors/overworld-error.ts';
import type { LogLine } from '#shared/model/log-line.ts';
import type { FakeBridge } from '#test/support/app/fake-bridge.ts';
import { aLink } from '#test/support/app/models.ts';
import { waitFor } from '#test/support/wait-for.ts';
import { bridgeOver, installBridge } from '../support/window-world.ts';

let bridge: FakeBridge;
/** Stored log of each service. A console starts with the last three lines. */
let logs: Record<string, string[]>;
/** Number of the last connection. The link counts the connections of all tests in this file. */
let generation = 1000;

const numbered = (texts: readonly string[], first = 0): LogLine[] =>
  texts.map((text, at) => ({ seq: first + at, text }));

function lastLines(id: string): LogLine[] {
  const all = logs[id] ?? [];
  const first = Math.max(0, all.length - 3);
  return numbered(all.slice(first), first);
}

function say(id: string, ...texts: string[]): void {
  write(id, texts);
}

function write(id: string, texts: readonly string[], ended = false): void {
  const before = logs[id]?.length ?? 0;
  logs[id] = [...(logs[id] ?? []), ...texts];
  bridge.push('notification', {
    name: 'service.log',
    params: { id, lines: numbered(texts, before), ended },
  });
}

beforeEach(() => {
  logs = {};
  bridge = bridgeOver({})
    .answerCall('services.followLog', ({ id }) => lastLines(id))
    .answerCall('services.readLog', ({ id, from, limit }) => {
      const all = numbered(logs[id] ?? []);
      const lines = all.slice(from, from + limit);
      return { lines, next: from + limit < all.length ? from + limit : null };
    });
  installBridge(bridge);
});

const texts = (lines: readonly LogLine[]): string[] => lines.map(({ text }) => text);

/** Returns the console of a service that is already open. */
function takenLog(id: string): ServiceConsole {
  const { log, release } = takeConsole(id);
  release();
  return log;
}

/** Delays the next response to `services.followLog` for a service. @returns a function that sends the response */
function holdFollow(id: string): () => void {
  let send: () => void = () => undefined;
  const sent = new Promise<void>((resolve) => (send = resolve));
  bridge.answerCall('services.followLog', async (params) => {
    if (params.id === id) await sent;
    return lastLines(params.id);
  });
  return send;
}

/**
 * Opens the merged log of two services with one line each, over a link that {@link reconnect} reconnects. The log is
 * closed when the test ends.
 */
async function mergedOverLink(): Promise<{ readonly merged: MergedLog; readonly reconnect: () => void }> {
  generation += 1;
  bridge.answer('link.get', () => aLink({ generation }));
  const stop = link.connect();
  const merged = new MergedLog();
  onTestFinished(() => {
    merged.close();
    stop();
  });
  logs = { 'lobby-1': ['[10:00:01] a'], 'lobby-2': ['[10:00:02] b'] };
  await waitFor(() => link.value?.generation === generation);
  merged.follow([
    { id: 'lobby-1', pid: 1 },
    { id: 'lobby-2', pid: 2 },
  ]);
  await waitFor(() => merged.lines.length === 2);
  bridge.push('link', aLink({ status: 'waiting', generation }));
  generation += 1;
  return { merged, reconnect: () => bridge.push('link', aLink({ generation })) };
}

describe('the stored console of a service', () => {
  it('is shared by all viewers, and receives new lines until the last viewer closes it', async () => {
    const [one, two] = [takeConsole('lobby-1'), takeConsole('lobby-1')];
    expect(one.log).toBe(two.log);
    await one.log.follow();
    one.release();
    one.release();
    say('lobby-1', 'hello');
    expect(texts(two.log.live)).toEqual(['hello']);
    expect(bridge.askedFor('services.unfollowLog')).toEqual([]);
    two.release();
    expect(bridge.askedFor('services.unfollowLog')).toEqual([{ id: 'lobby-1' }]);
  });

  it('loads older lines on request, back to the first line', async () => {
    logs['lobby-1'] = ['a', 'b', 'c', 'd', 'e'];
    const { log, release } = takeConsole('lobby-1');
    await log.follow();
    expect(texts(log.lines)).toEqual(['c', 'd', 'e']);
    expect(log.atBegin).toBe(false);
    expect(await log.loadOlder()).toBe(2);
    expect(texts(log.lines)).toEqual(['a', 'b', 'c', 'd', 'e']);
    expect(log.atBegin).toBe(true);
    expect(await log.loadOlder()).toBe(0);
    release();
  });

  it('keeps older lines that were loaded while new lines arrive', async () => {
    logs['lobby-1'] = Array.from({ length: 2000 }, (_, n) => `line ${n}`);
    const { log, release } = takeConsole('lobby-1');
    await log.follow();
    await log.showAround(500);
    expect(log.lines[0]?.seq).toBe(100);
    expect(log.lines.at(-1)?.seq).toBe(899);
    say('lobby-1', 'new');
    expect(log.lines.at(-1)?.seq).toBe(899);
    log.showEnd();
    expect(log.lines.at(-1)?.text).toBe('new');
    await log.showAround(1999);
    expect(log.excerpt).toBeNull();
    release();
  });
});

describe('the combined log of several services', () => {
  it('is sorted by time, and then continues with new lines as they arrive', async () => {
    logs['lobby-1'] = ['[10:00:01] a', 'below a', '[10:00:05] c'];
    logs['lobby-2'] = ['[10:00:03] b'];
    const merged = new MergedLog();
    merged.follow([
      { id: 'lobby-1', pid: 1 },
      { id: 'lobby-2', pid: 2 },
    ]);
    await waitFor(() => merged.lines.length === 4);
    say('lobby-2', 'new');
    expect(merged.lines.map(({ from, text }) => `${from ?? ''} ${text}`)).toEqual([
      'lobby-1 [10:00:01] a',
      'lobby-1 below a',
      'lobby-2 [10:00:03] b',
      'lobby-1 [10:00:05] c',
      'lobby-2 new',
    ]);
    merged.follow([{ id: 'lobby-2', pid: 2 }]);
    say('lobby-1', 'unheard');
    expect(merged.lines.at(-1)?.text).toBe('new');
    merged.close();
    await waitFor(() => bridge.askedFor('services.unfollowLog').length === 2);
  });

  it('gets lines that it missed while disconnected, each once and sorted by time', async () => {
    bridge.answer('link.get', () => aLink({ generation: 1 }));
    const stop = link.connect();
    logs = { 'lobby-1': ['[10:00:01] a'], 'lobby-2': ['[10:00:02] b'] };
    await waitFor(() => link.connected);
    const merged = new MergedLog();
    const both = [
      { id: 'lobby-1', pid: 1 },
      { id: 'lobby-2', pid: 2 },
    ];
    merged.follow(both);
    await waitFor(() => merged.lines.length === 2);
    bridge.push('link', aLink({ status: 'waiting', generation: 1 }));
    logs = {
      'lobby-1': ['[10:00:01] a', '[10:00:03] c', '[10:00:06] f'],
      'lobby-2': ['[10:00:02] b', '[10:00:04] d', 'below d'],
    };
    bridge.push('link', aLink({ generation: 2 }));
    await waitFor(() => merged.lines.length > 2);
    say('lobby-2', '[10:00:07] g');
    expect(merged.lines.map(({ text }) => text)).toEqual([
      '[10:00:01] a',
      '[10:00:02] b',
      '[10:00:03] c',
      '[10:00:04] d',
      'below d',
      '[10:00:06] f',
      '[10:00:07] g',
    ]);
    bridge.push('link', aLink({ generation: 3 }));
    logs['lobby-1'] = ['[10:00:09] anew'];
    await waitFor(() => merged.lines.at(-1)?.text === '[10:00:09] anew');
    expect(merged.lines, 'a restarted log is not mistaken for the old one').toHaveLength(8);
    merged.close();
    stop();
  });

  it('has the first lines of a restarted service, although its new log is longer than the old one', async () => {
    logs['lobby-1'] = ['[10:00:01] old a', '[10:00:02] old b'];
    const merged = new MergedLog();
    merged.follow([{ id: 'lobby-1', pid: 1 }]);
    await waitFor(() => merged.lines.length === 2);
    logs['lobby-1'] = ['[10:00:05] new a', '[10:00:06] new b', '[10:00:07] new c'];
    merged.follow([{ id: 'lobby-1', pid: 2 }]);
    await waitFor(() => merged.lines.at(-1)?.text === '[10:00:07] new c');
    expect(merged.lines.map(({ text }) => text)).toEqual([
      '[10:00:01] old a',
      '[10:00:02] old b',
      '[10:00:05] new a',
      '[10:00:06] new b',
      '[10:00:07] new c',
    ]);
    merged.close();
  });

  it('does not repeat the lines of the old process when a service whose console is open has restarted', async () => {
    logs['lobby-1'] = ['old'];
    const { log, release } = takeConsole('lobby-1');
    log.followProcess(1);
    const merged = new MergedLog();
    merged.follow([{ id: 'lobby-1', pid: 1 }]);
    await waitFor(() => merged.lines.length === 1);
    merged.follow([]);
    logs['lobby-1'] = ['new'];
    merged.follow([{ id: 'lobby-1', pid: 2 }]);
    await waitFor(() => merged.lines.at(-1)?.text === 'new');
    expect(merged.lines.map(({ text }) => text)).toEqual(['old', 'new']);
    merged.close();
    release();
  });

  it('has the last lines of a service that exits while the app is disconnected', async () => {
    const { merged, reconnect } = await mergedOverLink();
    const answerLobby = holdFollow('lobby-1');
    logs = { 'lobby-1': ['[10:00:01] a', '[10:00:03] crash'], 'lobby-2': ['[10:00:02] b', '[10:00:04] d'] };
    reconnect();
    await waitFor(() => bridge.askedFor('services.followLog').length === 4);
    merged.follow([{ id: 'lobby-2', pid: 2 }]);
    expect(merged.members).toEqual(['lobby-2']);
    answerLobby();
    await waitFor(() => merged.lines.length === 4);
    expect(texts(merged.lines)).toEqual(['[10:00:01] a', '[10:00:02] b', '[10:00:03] crash', '[10:00:04] d']);
    await waitFor(() => bridge.askedFor('services.unfollowLog').length === 1);
    expect(bridge.askedFor('services.unfollowLog')).toEqual([{ id: 'lobby-1' }]);
  });

  it('has the last lines of an exited service although the lines of another service are still loading', async () => {
    const { merged, reconnect } = await mergedOverLink();
    const answerOther = holdFollow('lobby-2');
    logs = { 'lobby-1': ['[10:00:01] a', '[10:00:03] crash'], 'lobby-2': ['[10:00:02] b', '[10:00:04] d'] };
    reconnect();
    await waitFor(() => takenLog('lobby-1').loaded);
    merged.follow([{ id: 'lobby-2', pid: 2 }]);
    answerOther();
    await waitFor(() => merged.lines.length === 4);
    expect(texts(merged.lines)).toEqual(['[10:00:01] a', '[10:00:02] b', '[10:00:03] crash', '[10:00:04] d']);
    await waitFor(() => bridge.askedFor('services.unfollowLog').length === 1);
  });

  it('has all lines of a restarted service, although it writes the same line as before', async () => {
    logs['lobby-1'] = ['Error: Unable to access jarfile server.jar'];
    const merged = new MergedLog();
    onTestFinished(merged.close);
    merged.follow([{ id: 'lobby-1', pid: 1 }]);
    await waitFor(() => merged.lines.length === 1);
    write('lobby-1', [], true);
    merged.follow([{ id: 'lobby-1', pid: 2 }]);
    await waitFor(() => merged.lines.length === 2);
    write('lobby-1', [], true);
    merged.follow([{ id: 'lobby-1', pid: 3 }]);
    await waitFor(() => merged.lines.length === 3);
    expect(new Set(texts(merged.lines))).toEqual(new Set(['Error: Unable to access jarfile server.jar']));
  });

  it('has each line once if a service has restarted while the app was disconnected', async () => {
    const { merged, reconnect } = await mergedOverLink();
    logs['lobby-1'] = ['[10:00:05] new a', '[10:00:06] new b'];
    reconnect();
    await waitFor(() => merged.lines.length === 4);
    merged.follow([
      { id: 'lobby-1', pid: 3 },
      { id: 'lobby-2', pid: 2 },
    ]);
    await waitFor(() => bridge.askedFor('services.followLog').length === 5);
    await waitFor(() => takenLog('lobby-1').loaded);
    expect(texts(merged.lines)).toEqual([
      '[10:00:01] a',
      '[10:00:02] b',
      '[10:00:05] new a',
      '[10:00:06] new b',
    ]);
  });

  it('names the reason why logs are missing, and has their lines after another attempt', async () => {
    logs = { 'lobby-1': ['[10:00:02] a'], 'lobby-2': ['[10:00:03] b'], 'lobby-3': ['[10:00:01] c'] };
    bridge.answerCall('services.followLog', ({ id }) => {
      if (id === 'lobby-1') return lastLines(id);
      throw new OverworldError('TOO_MANY', { what: `logs with ${id}`, limit: 64 });
    });
    const merged = new MergedLog();
    onTestFinished(merged.close);
    merged.follow([1, 2, 3].map((n) => ({ id: `lobby-${n}`, pid: n })));
    await waitFor(() => merged.failures.length === 2);
    expect(merged.failures[0]?.message).toContain('logs with lobby-2');
    await waitFor(() => merged.lines.length === 1);
    bridge.answerCall('services.followLog', ({ id }) => lastLines(id));
    merged.retry();
    await waitFor(() => merged.lines.length === 3);
    expect(texts(merged.lines)).toEqual(['[10:00:02] a', '[10:00:01] c', '[10:00:03] b']);
    expect(merged.failures).toEqual([]);
    expect(bridge.askedFor('services.followLog')).toHaveLength(5);
  });

  it('includes at most the maximum number of services, and counts the others', () => {
    const merged = new MergedLog();
    merged.follow(Array.from({ length: MOST_MERGED + 7 }, (_, n) => ({ id: `lobby-${n + 1}`, pid: n })));
    expect(merged.members).toHaveLength(MOST_MERGED);
    expect(merged.left).toBe(7);
    merged.close();
  });
});

describe('the tabs of consoles', () => {
  const keys = (): string[] => consoleTabs.list.map(tabKey);
  const open = (...ids: string[]): void => {
    for (const id of ids) consoleTabs.open({ kind: 'service', id });
  };

  afterEach(() => {
    for (const key of keys()) consoleTabs.close(key);
  });

  it('contain each service once, and are remembered by the app for the connection in use', async () => {
    bridge.answer('link.get', () => aLink({ connection: 'berlin', generation: (generation += 1) }));
    onTestFinished(link.connect());
    await waitFor(() => link.value?.connection === 'berlin');
    open('lobby-1', 'lobby-2', 'lobby-1');
    expect(keys()).toEqual(['service lobby-1', 'service lobby-2']);
    expect(consoleTabs.shown).toBe('service lobby-1');
    const kept = bridge.askedFor('app.remember').at(-1) as { key: string; value: string };
    expect(kept.key).toBe('consoles.berlin');
    expect(JSON.parse(kept.value)).toMatchObject({ shown: 'service lobby-1' });
  });

  it('show a neighbouring tab when a tab is closed', () => {
    open('a-1', 'b-1', 'c-1');
    consoleTabs.show('service b-1');
    consoleTabs.close('service b-1');
    expect(consoleTabs.shown).toBe('service c-1');
    consoleTabs.close('service c-1');
    expect(consoleTabs.shown).toBe('service a-1');
    consoleTabs.close('service a-1');
    expect(consoleTabs.shown).toBeNull();
  });

  it('are limited in number, and a message names this limit', () => {
    open(...Array.from({ length: MOST_TABS + 3 }, (_, n) => `lobby-${n + 1}`));
    expect(keys()).toHaveLength(MOST_TABS);
    expect(consoleTabs.refusal(1)).toContain(`${MOST_TABS}`);
  });
});
