import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { copyFile, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it, onTestFinished } from 'vitest';
import { connect } from '#master/nodes/ssh/connect.ts';
import { NodeConnection } from '#master/nodes/ssh/connection.ts';
import type { SessionReply } from '#master/runtime/systemd/tool-session.ts';
import { ToolSessions } from '#master/runtime/systemd/tool-sessions.ts';
import { isRunning } from '#test/support/is-running.ts';
import { canStartSshd, startSshd } from '#test/support/files/sshd.ts';
import { temporaryFolder } from '#test/support/temporary-folder.ts';
import { waitFor } from '#test/support/wait-for.ts';

const TOOL = join(import.meta.dirname, '../../../../master/runtime/systemd/tool');

/** Python program with the commands of this test, which the tool's own server executes. */
const MAIN = `
import os, signal, subprocess, sys, time
import serve

def run(command, request):
    if command == 'say':
        if 'begun' in request:
            open(request['begun'], 'w').close()
        return {'answer': {'text': request['text'] * request['times'], 'pid': os.getpid(), 'server': os.getppid()}}
    if command == 'wait':
        open(request['begun'], 'w').close()
        while not os.path.exists(request['until']):
            time.sleep(0.01)
        open(request['done'], 'w').close()
        return {'answer': {}}
    if command == 'hang':
        subprocess.run(['sh', '-c', f'echo $$ > {request["pids"]}.part && mv {request["pids"]}.part {request["pids"]}; sleep 600'])
    if command == 'print':
        print('spoken by mistake')
        subprocess.run(['echo', 'spoken by a child'])
        return {'answer': {'read': sys.stdin.read()}}
    if command == 'die':
        os.kill(os.getpid(), signal.SIGKILL)
    raise ValueError('nobody knows ' + command)

serve.serve(run)
`;

interface Stage {
  readonly folder: string;
  readonly sessions: ToolSessions;
  readonly connection: NodeConnection;
  /** Returns the number of times that the tool was started. */
  readonly starts: () => number;
}

async function openStage(): Promise<Stage> {
  const folder = temporaryFolder();
  await copyFile(join(TOOL, 'serve.py'), join(folder, 'serve.py'));
  await writeFile(join(folder, '__main__.py'), MAIN);
  const sshd = await startSshd();
  const target = { node: 'node-1', host: '127.0.0.1', port: sshd.port, pins: [sshd.hostKey] };
  const connection = new NodeConnection(
    'node-1',
    await connect(target, sshd.key, new AbortController().signal),
  );
  let starts = 0;
  const sessions = new ToolSessions(() => {
    starts += 1;
    return connection.speak(`exec python3 -I -S ${folder}`);
  });
  onTestFinished(async () => {
    sessions.close();
    connection.end('the test has ended');
    await connection.broken;
  });
  return { folder, sessions, connection, starts: () => starts };
}

function say(sessions: ToolSessions, text: string, times = 1): Promise<SessionReply> {
  return sessions.call({ command: 'say', request: { text, times }, timeoutMs: 60_000 });
}

/** Calls the tool and returns the process IDs of the call and of the tool's server. */
async function said(sessions: ToolSessions): Promise<{ readonly pid: number; readonly server: number }> {
  const reply = await say(sessions, 'x');
  if (reply.kind !== 'reply') throw new Error(`it did not answer: ${JSON.stringify(reply)}`);
  return (reply.reply as { readonly answer: { readonly pid: number; readonly server: number } }).answer;
}

describe.runIf(canStartSshd)('the connection to the tool on a node', () => {
  it('uses one server process for many calls at a time, and runs each call in its own process', async () => {
    const { sessions, starts } = await openStage();
    const letters = Array.from({ length: 300 }, (_, index) => String.fromCharCode(0x61 + (index % 26)));
    // The answers are longer than a pipe's buffer, to prove that they are not mixed.
    const replies = await Promise.all(letters.map((letter) => say(sessions, letter, 200_000)));
    for (const [index, letter] of letters.entries()) {
      expect(replies[index]).toMatchObject({
        kind: 'reply',
        reply: { answer: { text: letter.repeat(200_000) } },
      });
    }
    const [one, two] = [await said(sessions), await said(sessions)];
    expect(one.server).toBe(two.server);
    expect(one.pid).not.toBe(two.pid);
    expect(starts()).toBe(1);
  });

  it('answers a short call before an earlier call that takes longer', async () => {
    const { folder, sessions } = await openStage();
    const [begun, until, done] = ['begun', 'until', 'done'].map((name) => join(folder, name));
    const long = sessions.call({ command: 'wait', request: { begun, until, done }, timeoutMs: 60_000 });
    expect(await say(sessions, 'quick')).toMatchObject({ kind: 'reply' });
    await writeFile(until ?? '', '');
    expect(await long).toEqual({ kind: 'reply', reply: { answer: {} } });
  });

  it('reports why a call has failed, and accepts further calls', async () => {
    const { sessions, starts } = await openStage();
    const call = (command: string): Promise<SessionReply> =>
      sessions.call({ command, request: {}, timeoutMs: 60_000 });
    expect(await call('nonsense')).toEqual({ kind: 'failed', why: 'ValueError: nobody knows nonsense' });
    expect(await call('die')).toEqual({ kind: 'failed', why: 'it was ended by signal 9' });
    expect(await call('print')).toEqual({ kind: 'reply', reply: { answer: { read: '' } } });
    expect(await say(sessions, 'on')).toMatchObject({ kind: 'reply' });
    expect(starts()).toBe(1);
  });

  it('rejects a call whose answer is longer than 16 MiB, and no other call', async () => {
    const { sessions, starts } = await openStage();
    const [large, other] = await Promise.all([say(sessions, 'x', 17 * 1_048_576), say(sessions, 'other')]);
    expect(large).toEqual({ kind: 'failed', why: 'its answer is longer than 16 MiB' });
    expect(other).toMatchObject({ kind: 'reply', reply: { answer: { text: 'other' } } });
    expect(await say(sessions, 'x', 15 * 1_048_576)).toMatchObject({ kind: 'reply' });
    expect(starts()).toBe(1);
  });

  it('kills all processes of a call on the node after the time limit of the call', async () => {
    const { folder, sessions, starts } = await openStage();
    const pids = join(folder, 'pids');
    const late = sessions.call({ command: 'hang', request: { pids }, timeoutMs: 1_000 });
    const pid = await waitFor(() => readFile(pids, 'utf8').then(Number, () => null), { what: 'the child' });
    expect(await late).toEqual({ kind: 'late' });
    expect(await say(sessions, 'on')).toMatchObject({ kind: 'reply' });
    expect(starts()).toBe(2);
    await waitFor(() => !isRunning(pid), { what: 'the call to be ended on the node' });
  });

  it('starts a new server process after the old one was killed, and the calls in progress have no result', async () => {
    const { folder, sessions, starts } = await openStage();
    const [begun = '', until = '', done = ''] = ['begun', 'until', 'done'].map((name) => join(folder, name));
    const { server } = await said(sessions);
    const long = sessions.call({ command: 'wait', request: { begun, until, done }, timeoutMs: 60_000 });
    await waitFor(() => existsSync(begun), { what: 'the call to begin' });
    process.kill(server, 'SIGKILL');
    await waitFor(async () => (await said(sessions).catch(() => ({ server }))).server !== server, {
      what: 'another server',
    });
    expect(starts()).toBe(2);
    expect(await long).toEqual({ kind: 'ended', result: null });
    await writeFile(until, '');
    await waitFor(() => existsSync(done), { what: 'the call to do its work' });
  });

  it('reports why the tool cannot start', async () => {
    const { folder, sessions } = await openStage();
    await rm(join(folder, '__main__.py'));
    const reply = await say(sessions, 'x');
    expect(reply).toMatchObject({ kind: 'ended', result: { code: 1 } });
    expect(reply.kind === 'ended' && reply.result?.stderr).toContain(folder);
  });

  it('ends when SSH disconnects, but a call in progress still completes on the node', async () => {
    const { folder, sessions, connection } = await openStage();
    const [begun = '', until = '', done = ''] = ['begun', 'until', 'done'].map((name) => join(folder, name));
    const { server } = await said(sessions);
    const long = sessions.call({ command: 'wait', request: { begun, until, done }, timeoutMs: 60_000 });
    await waitFor(() => existsSync(begun), { what: 'the call to begin' });
    connection.end('it is to break');
    expect(await long).toEqual({ kind: 'ended', result: null });
    await waitFor(() => !isRunning(server), { what: 'the server to end' });
    await writeFile(until, '');
    await waitFor(() => existsSync(done), { what: 'the call to do its work' });
  });

  it('cancels a call if its answer is not read', async () => {
    const { folder } = await openStage();
    // Create a pipe that is open at both ends, but that no process reads.
    await promisify(execFile)('mkfifo', [join(folder, 'out')]);
    const script = 'exec python3 -I -S "$1" 1<>"$1/out"';
    const server = spawn('sh', ['-c', script, 'sh', folder], { stdio: ['pipe', 'ignore', 'ignore'] });
    onTestFinished(async () => {
      server.kill('SIGKILL');
      await once(server, 'close');
    });
    const request = { text: 'x', times: 1_000_000, begun: join(folder, 'begun') };
    server.stdin.write(`${JSON.stringify({ call: 1, command: 'say', seconds: 1, request })}\n`);
    const children = () => readFile(`/proc/${server.pid}/task/${server.pid}/children`, 'utf8');
    await waitFor(() => existsSync(request.begun), { what: 'the call to begin' });
    await waitFor(async () => (await children()) === '', {
      what: 'the call to be given up',
    });
  });
});
