import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { NodeShell } from '#master/nodes/shell.ts';
import { LogStore } from '#master/runtime/log/log-store.ts';
import type { ServiceLocation } from '#master/runtime/runtime.ts';
import { Budget } from '#master/runtime/systemd/journal/budget.ts';
import { JournalFollower } from '#master/runtime/systemd/journal/journal-follower.ts';
import { JournalLogs } from '#master/runtime/systemd/journal/journal-logs.ts';
import { NodeLogs } from '#master/runtime/systemd/journal/node-logs.ts';
import type { NodeTool } from '#master/runtime/systemd/node-tool.ts';
import { MAX_SERVICES } from '#master/runtime/systemd/tool-answers.ts';
import { temporaryFolder } from '#test/support/temporary-folder.ts';
import { waitFor } from '#test/support/wait-for.ts';

/** Creates a connection to a node. The test writes the journal of this node. */
function aShell(): { shell: NodeShell; journal: PassThrough } {
  const journal = new PassThrough({ highWaterMark: 1024 });
  const shell = {
    connected: true,
    onChange: () => () => undefined,
    follow: () =>
      Promise.resolve({
        stdout: journal,
        ended: new Promise<null>(() => undefined),
        close: () => journal.destroy(),
      }),
  };
  // The follower uses only these methods of the shell.
  return { shell: shell as unknown as NodeShell, journal };
}

let written = 0;

/** Returns the journal entry of a service's line in the format of `journalctl --output=json`. */
function says(service: string, text: string): string {
  written += 1;
  const entry = {
    __CURSOR: `s=a;i=${written.toString(16)};t=${written.toString(16)}`,
    _SYSTEMD_UNIT: `overworld@${service}.service`,
    _TRANSPORT: 'stdout',
    MESSAGE: text,
  };
  return `${JSON.stringify(entry)}\n`;
}

/** Returns systemd's journal entry about the exit of a service. systemd writes several entries per exit. */
function tellsEndOf(service: string): string {
  written += 1;
  const entry = {
    __CURSOR: `s=a;i=${written.toString(16)};t=${written.toString(16)}`,
    _PID: '1',
    _SYSTEMD_UNIT: 'init.scope',
    UNIT: `overworld@${service}.service`,
    MESSAGE_ID: 'd9b373ed55a64feb8242e02dbe79a49c',
    MESSAGE: 'Failed with result.',
  };
  return `${JSON.stringify(entry)}\n`;
}

/** Creates the logs of node-1. `whereIs` returns the location of each service. */
function aNode(whereIs: (id: string) => ServiceLocation) {
  const folder = temporaryFolder();
  const { shell, journal } = aShell();
  const tool = { call: () => Promise.resolve({ cursor: null }) };
  const store = new LogStore(folder);
  const ends: string[] = [];
  const logs = new NodeLogs({
    group: 'overworld',
    node: 'node-1',
    shell,
    // The code under test uses the tool only to request the end of the journal.
    tool: tool as unknown as NodeTool,
    logs: store,
    whereIs,
    ended: (id) => ends.push(id),
    failed: () => undefined,
  });
  onTestFinished(() => logs.close(false));
  const logOf = (id: string): string => {
    const path = join(folder, `${id}.log`);
    return existsSync(path) ? readFileSync(path, 'utf8') : '';
  };
  const standsIn = (id: string, text: string) =>
    waitFor(() => logOf(id).includes(text), { what: `"${text}" in the log of ${id}` });
  const endsOf = (id: string) => ends.filter((one) => one === id).length;
  return { logs, journal, logOf, standsIn, folder, store, endsOf };
}

describe('the journal of a node', () => {
  it('is copied only into logs of services on this node', async () => {
    const places: Record<string, ServiceLocation> = { 'lobby-1': 'here', 'lobby-2': 'elsewhere' };
    const { journal, standsIn, folder } = aNode((id) => places[id] ?? 'nowhere');
    journal.write(says('lobby-2', 'not mine') + says('lobby-3', 'nobody knows it') + says('lobby-1', 'mine'));
    await standsIn('lobby-1', 'mine');
    expect(readdirSync(folder).filter((name) => name.endsWith('.log'))).toEqual(['lobby-1.log']);
  });

  it('tells the readers of a log only once that it has ended, even if systemd reports the end again', async () => {
    const { logs, journal, standsIn, store, endsOf } = aNode(() => 'here');
    logs.grow('lobby-1');
    let ended = 0;
    await store.follow('lobby-1', 10, (_, isEnd) => {
      if (isEnd) ended += 1;
    });
    journal.write(says('lobby-1', 'bye'));
    await standsIn('lobby-1', 'bye');
    await logs.end('lobby-1', null);
    journal.write(tellsEndOf('lobby-1'));
    await waitFor(() => endsOf('lobby-1') === 1, { what: 'the word of systemd' });
    await waitFor(() => ended === 1, { what: 'the end of the log' });
  });

  it('contains the last lines of a removed service, but is not copied for a service on another node', async () => {
    const places: Record<string, ServiceLocation> = {
      'lobby-1': 'here',
      'lobby-2': 'here',
      'lobby-3': 'here',
    };
    const { logs, journal, standsIn, logOf } = aNode((id) => places[id] ?? 'nowhere');
    logs.expect(['lobby-1']);
    journal.write(says('lobby-2', 'begun'));
    await standsIn('lobby-2', 'begun');
    delete places['lobby-1'];
    places['lobby-2'] = 'elsewhere';
    journal.write(says('lobby-1', 'bye') + says('lobby-2', 'late') + says('lobby-3', 'still here'));
    await standsIn('lobby-3', 'still here');
    expect(logOf('lobby-1')).toBe('bye\n');
    expect(logOf('lobby-2')).toBe('begun\n');
  });

  it('results in a limited number of log files, however many services the node reports', async () => {
    const { journal, standsIn, folder } = aNode(() => 'here');
    for (let n = 1; n <= MAX_SERVICES + 50; n++) journal.write(says(`lobby-${n}`, 'mine'));
    journal.write(says('lobby-1', 'the last one'));
    await standsIn('lobby-1', 'the last one');
    expect(readdirSync(folder).filter((name) => name.endsWith('.log')).length).toBeLessThanOrEqual(
      MAX_SERVICES,
    );
  });

  it('is read at a limited rate without losing lines', async () => {
    const folder = temporaryFolder();
    const store = new LogStore(folder);
    const logs = await JournalLogs.open('node-1', store);
    const { shell, journal } = aShell();
    const follower = new JournalFollower({
      group: 'overworld',
      shell,
      logs,
      accepts: () => true,
      ended: () => undefined,
      failed: () => undefined,
      budget: new Budget({ perSecond: 200_000, burst: 50_000 }),
    });
    onTestFinished(async () => {
      await follower.close();
      await logs.close(false);
    });
    const line = 'x'.repeat(1_000);
    const began = performance.now();
    let bytes = 0;
    for (let n = 0; n < 120; n++) {
      const text = says('lobby-1', n === 119 ? 'the last one' : line);
      bytes += text.length;
      journal.write(text);
    }
    await waitFor(async () => (await store.tail('lobby-1', 1))[0] === 'the last one');
    // After the first 50 kB, the data arrived at 200 kB per second, except for the last chunk.
    expect(performance.now() - began).toBeGreaterThan(((bytes - 50_000 - 66_000) / 200_000) * 1_000);
    expect(await store.tail('lobby-1', 1_000)).toHaveLength(120);
  });
});
