import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import type { InteractiveCommand, NodeShell, ShellResult } from '#master/nodes/shell.ts';
import { NodeTool } from '#master/runtime/systemd/node-tool.ts';
import { SnapshotCalls } from '#master/runtime/systemd/snapshots/snapshot-calls.ts';
import { doneAnswer } from '#master/runtime/systemd/tool-answers.ts';
import { toOverworldError } from '#shared/errors/overworld-error.ts';
import { temporaryFolder } from '#test/support/temporary-folder.ts';
import { waitFor } from '#test/support/wait-for.ts';

const HASH = 'ab'.repeat(32);

/**
 * Creates a node that sends these bytes as the list of files. The node answers all calls of a session with `answer`,
 * except the call `observe`, which gets no answer.
 */
function aNode(list: readonly Buffer[], answer = '{}') {
  const channels: string[] = [];
  const speak = (line: string): Promise<InteractiveCommand> => {
    const command = line.split(' ').at(-1) ?? '';
    channels.push(command);
    const [stdin, stdout] = [new PassThrough(), new PassThrough()];
    if (command === 'send_list') {
      for (const piece of list) stdout.write(piece);
      stdout.end();
    } else {
      stdin.on('data', (request: Buffer) => {
        const { call, command: name } = JSON.parse(request.toString()) as { call: number; command: string };
        if (name !== 'observe') stdout.write(`{"call": ${call}, "answer": ${answer}}\n`);
      });
    }
    let exit: () => void = () => undefined;
    const exited = new Promise<void>((resolve) => (exit = resolve));
    const ended = exited.then((): ShellResult | null => null);
    return Promise.resolve({ stdin, stdout, exited, ended, close: exit });
  };
  // The tool uses only speak() of the shell.
  const tool = new NodeTool('node-1', { speak } as unknown as NodeShell, { isCalledOften: true });
  return { tool, snapshots: new SnapshotCalls('node-1', tool), channels };
}

const file = Buffer.from(`["world/level.dat", 5, 420, 1.5, "${HASH}"]\n`);
const end = Buffer.from('{"skipped": []}\n');

describe('the list of files in a snapshot on a node', () => {
  it('is read through an SSH channel of its own', async () => {
    const { snapshots, channels } = aNode([file, end]);
    expect(await snapshots.read('lobby-1')).toEqual({
      files: [{ path: 'world/level.dat', size: 5, mode: 420, modifiedAtMs: 1.5, hash: HASH }],
      skipped: [],
    });
    expect(channels).toEqual(['serve', 'send_list']);
  });

  it('is rejected if it is too long, while other calls to the node continue', async () => {
    const { tool, snapshots, channels } = aNode([file, Buffer.alloc(17 * 1_048_576, 'x')]);
    let hasEnded = false;
    const other = tool.call({ command: 'observe', what: 'look', request: {}, answer: doneAnswer });
    void other.catch(() => undefined).then(() => (hasEnded = true));
    const error = await snapshots.read('lobby-1').catch(toOverworldError);
    expect(error).toMatchObject({ code: 'NODE_TOOL_FAILED' });
    await tool.call({ command: 'sweep', what: 'sweep', request: {}, answer: doneAnswer });
    expect(hasEnded).toBe(false);
    expect(channels).toEqual(['serve', 'send_list']);
    tool.close();
    await expect(other).rejects.toThrow();
  });

  it('is rejected if it ends too early', async () => {
    const { snapshots } = aNode([file]);
    const error = await snapshots.read('lobby-1').catch(toOverworldError);
    expect(error).toMatchObject({ code: 'NODE_UNREACHABLE' });
  });
});

describe('the transfers of saves from a node', () => {
  it('begin only two at a time, so that other work on the node goes on', async () => {
    const sent: PassThrough[] = [];
    const speak = (): Promise<InteractiveCommand> => {
      const stdout = new PassThrough();
      sent.push(stdout);
      const ended = Promise.resolve(null);
      return Promise.resolve({
        ...{ stdin: new PassThrough(), stdout, exited: Promise.resolve(), ended, close: () => undefined },
      });
    };
    // The tool uses only speak() of the shell.
    const tool = new NodeTool('node-1', { speak } as unknown as NodeShell, { isCalledOften: true });
    const snapshots = new SnapshotCalls('node-1', tool);
    const text = 'a world';
    const hash = createHash('sha256').update(text).digest('hex');
    const folders = Array.from({ length: 3 }, () => temporaryFolder());
    const transfers = folders.map((folder, at) =>
      snapshots.fetch(`lobby-${at + 1}`, [{ hash, size: text.length }], folder),
    );
    await waitFor(() => sent.length === 2);
    sent[1]?.end(text);
    await transfers[1];
    // The third transfer begins only now, because the second has ended. It does not wait for the first.
    await waitFor(() => sent.length === 3);
    for (const one of [sent[0], sent[2]]) one?.end(text);
    await Promise.all(transfers);
    for (const folder of folders) expect(await readFile(join(folder, hash), 'utf8')).toBe(text);
  });
});

describe('taking a snapshot on a node', () => {
  const pause = { answer: 'already-off', flushed: true, resumed: false, ms: 0 };
  const taken = (problem: object | null) => JSON.stringify({ found: true, pause, problem });

  it('reports how the server was paused', async () => {
    const { snapshots } = aNode([], taken(null));
    const ended: object[] = [];
    expect(await snapshots.take('lobby-1', { mayBePaused: false, ended: (one) => ended.push(one) })).toBe(
      true,
    );
    expect(ended).toEqual([pause]);
  });

  it.each([
    { kind: 'disk-full', code: 'DISK_FULL' },
    { kind: 'failed', code: 'NODE_TOOL_FAILED' },
  ])('reports how the server was paused even if the copy fails with $code', async ({ kind, code }) => {
    const { snapshots } = aNode([], taken({ kind, why: '/var/lib/overworld' }));
    const ended: object[] = [];
    const request = { mayBePaused: false, ended: (one: object) => void ended.push(one) };
    const error = await snapshots.take('lobby-1', request).catch(toOverworldError);
    expect(error).toMatchObject({ code });
    expect(ended).toEqual([pause]);
  });
});
