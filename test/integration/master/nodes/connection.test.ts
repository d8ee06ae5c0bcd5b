import { createHash, randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import { describe, expect, it, onTestFinished } from 'vitest';
import { hasCode } from '#shared/errors/overworld-error.ts';
import { connect, type SshTarget } from '#master/nodes/ssh/connect.ts';
import { NodeConnection } from '#master/nodes/ssh/connection.ts';
import { quote } from '#shared/text/shell.ts';
import { isRunning } from '#test/support/is-running.ts';
import { makeKey } from '#test/support/nodes/contact-fixture.ts';
import { canStartSshd, startSshd, type Sshd } from '#test/support/files/sshd.ts';
import { waitFor } from '#test/support/wait-for.ts';

const never = new AbortController().signal;

function targetOf(sshd: Sshd): SshTarget {
  return { node: 'node-1', host: '127.0.0.1', port: sshd.port, pins: [sshd.hostKey] };
}

async function connectionTo(sshd: Sshd): Promise<NodeConnection> {
  const connection = new NodeConnection('node-1', await connect(targetOf(sshd), sshd.key, never));
  onTestFinished(async () => {
    connection.end('the test has ended');
    await connection.broken;
  });
  return connection;
}

/** Returns the reason why a node could not be reached. */
async function whyNot(work: Promise<unknown>): Promise<string> {
  const error: unknown = await work.then(
    () => new Error('it was reached'),
    (thrown: unknown) => thrown,
  );
  if (hasCode(error, 'NODE_UNREACHABLE')) return error.details.why;
  throw error;
}

const text = (buffer: Buffer): string => buffer.toString();

describe.runIf(canStartSshd)('the SSH connection to a node', () => {
  it('logs in to a node that presents one of the known host keys', async () => {
    const sshd = await startSshd();
    const pins = ['SHA256:another', sshd.hostKey];
    const login = await connect({ ...targetOf(sshd), pins }, sshd.key, never);
    expect(login.hostKey).toBe(sshd.hostKey);
    login.client.end();
  });

  it('sends nothing to a node that presents an unknown host key', async () => {
    const sshd = await startSshd();
    const target = { ...targetOf(sshd), pins: ['SHA256:another'] };
    const why = await whyNot(connect(target, sshd.key, never));
    expect(why).toContain(`it presents the host key ${sshd.hostKey} instead of SHA256:another`);
    expect(await whyNot(connect({ ...target, pins: [] }, sshd.key, never))).toContain('none is known');
  });

  it('reports that the node refuses the key of the master', async () => {
    const sshd = await startSshd();
    expect(await whyNot(connect(targetOf(sshd), makeKey(), never))).toBe(
      "it does not accept this master's key",
    );
  });

  it('reports that nothing listens on the port of the node', async () => {
    const sshd = await startSshd();
    await sshd.stop();
    expect(await whyNot(connect(targetOf(sshd), sshd.key, never))).toBe(
      `nothing is listening on its port ${sshd.port}`,
    );
  });

  it('can be cancelled while it connects', async () => {
    const sshd = await startSshd();
    expect(await whyNot(connect(targetOf(sshd), sshd.key, AbortSignal.abort()))).toBe(
      'the connection is no longer needed',
    );
  });
});

describe.runIf(canStartSshd)('a command on a node', () => {
  it('returns exit code, output and error output', async () => {
    const connection = await connectionTo(await startSshd());
    const result = await connection.run('echo out; echo problem >&2; exit 7');
    expect({ ...result, stdout: text(result.stdout) }).toEqual({
      ...{ code: 7, signal: null, stdout: 'out\n', stderr: 'problem\n' },
    });
  });

  it('returns the signal that killed it', async () => {
    const connection = await connectionTo(await startSshd());
    expect(await connection.run('kill -KILL $$')).toMatchObject({ code: null, signal: 'SIGKILL' });
  });

  it('receives a quoted argument as a single word', async () => {
    const connection = await connectionTo(await startSshd());
    const odd = 'a\'b"c $HOME `id` \\ \n; * é';
    expect(text((await connection.run(`printf %s ${quote(odd)}`)).stdout)).toBe(odd);
  });

  it('receives an input of any size', async () => {
    const connection = await connectionTo(await startSshd());
    const bytes = randomBytes(5_000_000);
    const hash = createHash('sha256').update(bytes).digest('hex');
    const stream = Readable.from(
      (function* () {
        for (let at = 0; at < bytes.length; at += 100_000) yield bytes.subarray(at, at + 100_000);
      })(),
    );
    for (const stdin of [bytes, stream]) {
      expect(text((await connection.run('sha256sum', { stdin })).stdout)).toBe(`${hash}  -\n`);
    }
    expect(text((await connection.run('cat', { stdin: 'a line' })).stdout)).toBe('a line');
    expect(text((await connection.run('wc -c')).stdout).trim()).toBe('0');
  });

  it('receives its input only as fast as it reads', async () => {
    const connection = await connectionTo(await startSshd());
    let given = 0;
    const endless = Readable.from(
      (function* () {
        for (;;) {
          given += 65_536;
          yield Buffer.alloc(65_536);
        }
      })(),
    );
    const why = await whyNot(connection.run('sleep 30', { stdin: endless, timeoutMs: 1_500 }));
    expect(why).toBe('a command did not finish within 1.5 s');
    // The limit is the sum of the SSH channel's window, the buffers on the way, and the pipe on the node.
    expect(given).toBeLessThan(16_000_000);
    expect(endless.destroyed).toBe(true);
  });

  it('closes its input if it exits before it has read the whole input', async () => {
    const connection = await connectionTo(await startSshd());
    const endless = Readable.from(
      (function* () {
        for (;;) yield Buffer.alloc(65_536);
      })(),
    );
    expect(await connection.run('head -c 10 > /dev/null; exit 3', { stdin: endless })).toMatchObject({
      code: 3,
    });
    expect(endless.destroyed).toBe(true);
  });

  it('fails if its input fails', async () => {
    const connection = await connectionTo(await startSshd());
    const broken = Readable.from(
      (function* () {
        yield Buffer.alloc(1_000);
        throw new Error('the file is gone');
      })(),
    );
    await expect(connection.run('cat > /dev/null; sleep 30', { stdin: broken })).rejects.toThrow(
      'the file is gone',
    );
    const cut = Readable.from([Buffer.alloc(1_000)]);
    cut.destroy();
    await expect(connection.run('cat', { stdin: cut })).rejects.toThrow(/premature/i);
  });

  it('fails and is stopped if its output is too long', async () => {
    const connection = await connectionTo(await startSshd());
    const error: unknown = await connection
      .run('echo $$ >&2; yes', { maxBytes: 100_000 })
      .catch((thrown: unknown) => thrown);
    expect(hasCode(error, 'NODE_TOOL_FAILED') && error.details.why).toBe('its output exceeds 100000 bytes');
    expect(await connection.run('true')).toMatchObject({ code: 0 });
    const all = await connection.run('head -c 16000000 /dev/zero');
    expect(all.stdout.length).toBe(16_000_000);
  });

  it('returns only the last part of a long error output', async () => {
    const connection = await connectionTo(await startSshd());
    const { stderr } = await connection.run('seq 100000 >&2; echo the end >&2');
    expect(stderr.length).toBeLessThanOrEqual(16_384);
    expect(stderr.endsWith('100000\nthe end\n')).toBe(true);
  });

  it('is killed on the node when its time limit has passed', async () => {
    const connection = await connectionTo(await startSshd());
    const started = connection.run('echo $$ > /tmp/.overworld-test-$PPID; exec sleep 300', {
      timeoutMs: 500,
    });
    await expect(started).rejects.toThrow('did not finish within 0.5 s');
    const { stdout } = await connection.run('cat /tmp/.overworld-test-* && rm /tmp/.overworld-test-*');
    const pid = Number(text(stdout));
    expect(isRunning(pid)).toBe(true);
    await waitFor(() => !isRunning(pid), { what: 'the command to be ended' });
  });

  it('waits if too many other commands are running', async () => {
    const connection = await connectionTo(await startSshd());
    const results = await Promise.all(
      Array.from({ length: 80 }, async (_, index) => text((await connection.run(`echo ${index}`)).stdout)),
    );
    expect(results).toEqual(Array.from({ length: 80 }, (_, index) => `${index}\n`));
  });

  it('fails for all callers when the connection breaks', async () => {
    const sshd = await startSshd();
    const connection = await connectionTo(sshd);
    const waiting = [1, 2, 3].map(() => whyNot(connection.run('sleep 60')));
    const followed = await connection.follow('sleep 60');
    await connection.run('true');
    await sshd.stop();
    expect(await Promise.all(waiting)).toEqual([1, 2, 3].map(() => 'the connection was lost'));
    expect(await followed.ended).toBeNull();
    expect((await connection.broken).why).toBe('the connection was lost');
    expect(await whyNot(connection.run('true'))).toBe('the connection was lost');
  });
});

describe.runIf(canStartSshd)('a command on a node whose output is streamed', () => {
  it('returns output as it arrives, and finally the exit code', async () => {
    const connection = await connectionTo(await startSshd());
    const followed = await connection.follow('echo one; echo problem >&2; sleep 0.2; echo two; exit 4');
    let said = '';
    followed.stdout.on('data', (chunk: Buffer) => (said += chunk.toString()));
    expect(await followed.ended).toMatchObject({ code: 4, signal: null, stderr: 'problem\n' });
    expect(said).toBe('one\ntwo\n');
  });

  it('is killed when the caller closes it', async () => {
    const connection = await connectionTo(await startSshd());
    const followed = await connection.follow('echo $$; exec sleep 300');
    const [first] = (await followed.stdout[Symbol.asyncIterator]()
      .next()
      .then((next) => [next.value])) as [Buffer];
    const pid = Number(text(first));
    expect(isRunning(pid)).toBe(true);
    followed.close();
    expect(await followed.ended).toBeNull();
    await waitFor(() => !isRunning(pid), { what: 'the command to be ended' });
  });

  it('is slowed down to the speed of the reader', async () => {
    const connection = await connectionTo(await startSshd());
    const followed = await connection.follow('yes 0123456789 | head -c 50000000');
    await waitFor(() => followed.stdout.readableLength > 1_000_000);
    await connection.run('true');
    expect(followed.stdout.readableLength).toBeLessThan(8_000_000);
    let length = 0;
    followed.stdout.on('data', (chunk: Buffer) => (length += chunk.length));
    expect(await followed.ended).toMatchObject({ code: 0 });
    expect(length).toBe(50_000_000);
  });
});

describe.runIf(canStartSshd)('a node that no longer responds', () => {
  it('is detected within seconds', async () => {
    const sshd = await startSshd();
    const connection = await connectionTo(sshd);
    await connection.run('true');
    const began = performance.now();
    sshd.freeze(true);
    const waiting = whyNot(connection.run('true'));
    const { why, lastDataAt } = await connection.broken;
    expect(why).toBe('no data received for 10 s');
    expect(await waiting).toBe('no data received for 10 s');
    expect(performance.now() - began).toBeLessThan(20_000);
    expect(lastDataAt - began).toBeLessThan(5_000);
  });
});
