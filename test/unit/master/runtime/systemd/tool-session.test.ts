import { spawn } from 'node:child_process';
import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import type { NodeShell, ShellResult, InteractiveCommand } from '#master/nodes/shell.ts';
import { NodeTool } from '#master/runtime/systemd/node-tool.ts';
import { ToolSession } from '#master/runtime/systemd/tool-session.ts';
import { doneAnswer } from '#master/runtime/systemd/tool-answers.ts';

/** Creates a node that can send any answer. */
function aNode() {
  const [stdin, stdout] = [new PassThrough(), new PassThrough()];
  let isClosed = false;
  let exits: () => void = () => undefined;
  let ends: (result: ShellResult | null) => void = () => undefined;
  const command: InteractiveCommand = {
    stdin,
    stdout,
    ended: new Promise<ShellResult | null>((resolve) => (ends = resolve)),
    exited: new Promise<void>((resolve) => (exits = resolve)),
    close: () => {
      isClosed = true;
    },
  };
  const says = (...lines: object[]): void => {
    stdout.write(lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
  };
  return { command, says, exits, ends, isClosed: () => isClosed };
}

const ask = { command: 'observe', request: {}, timeoutMs: 60_000 };

describe("ToolSession (connection to Overworld's tool on a node)", () => {
  it('closes if the tool answers a call that was not made', async () => {
    const { command, says, isClosed } = aNode();
    const session = new ToolSession(command);
    const reply = session.call(ask);
    says({ call: 7, answer: {} });
    expect(await reply).toEqual({ kind: 'ended', result: null });
    expect(isClosed()).toBe(true);
  });

  it('closes if the tool answers a call twice, but uses the first answer', async () => {
    const { command, says, isClosed } = aNode();
    const session = new ToolSession(command);
    const [first, second] = [session.call(ask), session.call(ask)];
    says({ call: 1, answer: 'a' }, { call: 1, answer: 'b' });
    expect(await first).toEqual({ kind: 'reply', reply: { answer: 'a' } });
    expect(await second).toEqual({ kind: 'ended', result: null });
    expect(isClosed()).toBe(true);
  });

  it('ignores the answer to a call that timed out, completes the other calls, and closes afterwards', async () => {
    const { command, says, isClosed } = aNode();
    const session = new ToolSession(command);
    const [late, other] = [session.call({ ...ask, timeoutMs: 1 }), session.call(ask)];
    expect(await late).toEqual({ kind: 'late' });
    says({ call: 1, answer: 'late' }, { call: 2, answer: 'other' });
    expect(await other).toEqual({ kind: 'reply', reply: { answer: 'other' } });
    expect(isClosed()).toBe(true);
  });

  it('rejects only the call whose answer is longer than 16 MiB', async () => {
    const { command, says, isClosed } = aNode();
    const session = new ToolSession(command);
    const [large, other] = [session.call(ask), session.call(ask)];
    const answer = Buffer.from(`${JSON.stringify({ call: 1, answer: 'x'.repeat(17 * 1_048_576) })}\n`);
    const piece = 1_048_576;
    for (let at = 0; at < answer.length; at += piece) command.stdout.push(answer.subarray(at, at + piece));
    says({ call: 2, answer: 'other' });
    expect(await large).toEqual({ kind: 'failed', why: 'its answer is longer than 16 MiB' });
    expect(await other).toEqual({ kind: 'reply', reply: { answer: 'other' } });
    expect(session.isOpen).toBe(true);
    const next = session.call(ask);
    says({ call: 3, answer: 'next' });
    expect(await next).toEqual({ kind: 'reply', reply: { answer: 'next' } });
    expect(isClosed()).toBe(false);
  });

  it.each([
    { what: 'does not name its call', begin: 'x' },
    { what: 'belongs to a call that it has not made', begin: '{"call": 7, "answer": "' },
  ])('closes after 16 MiB of an answer that $what', async ({ begin }) => {
    const { command, isClosed } = aNode();
    const session = new ToolSession(command);
    const reply = session.call(ask);
    command.stdout.push(begin);
    for (let at = 0; at < 17; at++) command.stdout.push('x'.repeat(1_048_576));
    expect(await reply).toEqual({ kind: 'ended', result: null });
    expect(isClosed()).toBe(true);
  });

  it('closes if an answer above the maximum length does not end', async () => {
    const { command, isClosed } = aNode();
    const session = new ToolSession(command);
    const [large, other] = [session.call(ask), session.call(ask)];
    command.stdout.push('{"call": 1, "answer": "');
    const piece = Buffer.alloc(16 * 1_048_576, 'x');
    for (let at = 0; at < 20; at++) command.stdout.push(piece);
    expect(await large).toMatchObject({ kind: 'failed' });
    expect(await other).toEqual({ kind: 'ended', result: null });
    expect(isClosed()).toBe(true);
  });

  it('reports the exit of the tool, even if it exited before the first call', async () => {
    const { command, exits, ends } = aNode();
    const result = { code: 2, signal: null, stdout: Buffer.alloc(0), stderr: 'no such file' };
    const session = new ToolSession(command);
    exits();
    await command.exited;
    const reply = session.call(ask);
    ends(result);
    expect(await reply).toEqual({ kind: 'ended', result });
    expect(await session.call(ask)).toEqual({ kind: 'ended', result });
  });

  it('reports the exit of the tool, even if the master was too busy to notice the exit for several seconds', async () => {
    const { command, exits, ends } = aNode();
    const result = { code: 2, signal: null, stdout: Buffer.alloc(0), stderr: 'no such file' };
    const session = new ToolSession(command);
    const reply = session.call(ask);
    exits();
    await command.exited;
    // Continue in the check phase of the event loop. After this phase, Node.js runs its timers before it reads input.
    // Here, the input is the exit of a process.
    await new Promise((resolve) => setImmediate(resolve));
    spawn('true').once('exit', () => ends(result));
    const busyUntil = performance.now() + 1_200;
    while (performance.now() < busyUntil);
    expect(await reply).toEqual({ kind: 'ended', result });
  });

  it.each([
    { what: 'its error output', said: (why: string) => ({ failed: why }) },
    { what: "a problem's reason", said: (why: string) => ({ problem: { kind: 'busy', why } }) },
    { what: 'an unexpected answer', said: (why: string) => ({ [why]: true }) },
  ])('shortens $what in the error message', async ({ said }) => {
    const { command, says } = aNode();
    // The tool uses only speak() of the shell.
    const shell = { speak: () => Promise.resolve(command) } as unknown as NodeShell;
    const tool = new NodeTool('node-1', shell, { isCalledOften: true });
    const answer = tool.call({ command: 'forget', what: 'forget it', request: {}, answer: doneAnswer });
    command.stdin.once('data', () => says({ call: 1, ...said('x'.repeat(1_000_000)) }));
    const error: unknown = await answer.catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(Error);
    expect((error as Error).message.length).toBeLessThan(1_000);
    tool.close();
  });
});
