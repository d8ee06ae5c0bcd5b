import { PassThrough } from 'node:stream';
import { describe, expect, it, onTestFinished } from 'vitest';
import { copyStream } from '#main/install/server/copy-stream.ts';
import type { ServerShell } from '#main/install/server/shell.ts';
import { startByteRelay } from '#test/support/byte-relay.ts';
import { openShell } from '#test/support/install/open-shell.ts';
import { canStartTestServer, startTestServer } from '#test/support/install/test-server.ts';
import { waitFor } from '#test/support/wait-for.ts';

const signal = new AbortController().signal;

/** Describes a script that a shell runs as root on its server. */
function on(shell: ServerShell, script: string) {
  return { root: { shell, sudo: { kind: 'root' as const } }, script };
}

describe.runIf(canStartTestServer)('a stream of data from one server to another', () => {
  it('arrives unchanged, and its size and both exit codes are reported', async () => {
    const server = await startTestServer();
    const [from, to] = [await openShell(server), await openShell(server)];
    const bytes = 20_000_000;
    let counted = 0;
    const { sent, stored } = await copyStream(
      on(from, `head -c ${bytes} /dev/zero | tr '\\0' x; echo changed >&2; exit 1`),
      on(to, 'sha256sum; exit 3'),
      { signal, onBytes: (more) => (counted += more) },
    );
    expect(sent).toMatchObject({ code: 1, stderr: 'changed\n' });
    expect(stored.code).toBe(3);
    expect(stored.stdout.trim()).toBe(server.run(`head -c ${bytes} /dev/zero | tr '\\0' x | sha256sum`));
    expect(counted).toBe(bytes);
  });

  it('waits for a slow receiver without buffering much data', async () => {
    const server = await startTestServer();
    const [from, to] = [await openShell(server), await openShell(server)];
    let counted = 0;
    server.run('mkfifo -m 666 /var/tmp/go');
    const copying = copyStream(
      on(from, 'head -c 200000000 /dev/zero'),
      on(to, 'head -c 1000 > /dev/null; read -r go < /var/tmp/go; cat > /dev/null'),
      { signal, onBytes: (more) => (counted += more) },
    );
    // The receiver stops reading, so the channel fills up and the stream stalls.
    const looks: number[] = [];
    await waitFor(() => looks.push(counted) > 25 && (looks.at(-25) ?? 0) > 0 && looks.at(-25) === counted, {
      what: 'the stream to stall',
    });
    expect(counted).toBeLessThan(50_000_000);
    server.run('echo go > /var/tmp/go');
    await copying;
    expect(counted).toBe(200_000_000);
  });

  it('ends the sender if the receiver exits early', async () => {
    const server = await startTestServer();
    const [from, to] = [await openShell(server), await openShell(server)];
    const { sent, stored } = await copyStream(
      on(from, 'exec yes 86411'),
      on(to, 'head -c 1000000 > /dev/null; echo full >&2; exit 5'),
      { signal },
    );
    expect(stored).toMatchObject({ code: 5, stderr: 'full\n' });
    expect(sent.code).not.toBe(0);
    expect(server.run(`pgrep -c -f '^yes 86411' || true`)).toBe('0');
  });

  it('waits for the exit of the sender, even after the receiver has succeeded', async () => {
    const server = await startTestServer();
    const [from, to] = [await openShell(server), await openShell(server)];
    server.run('mkfifo -m 666 /var/tmp/stored');
    const { sent, stored } = await copyStream(
      // The sender must exit after its receiver, like a tar that still writes its snapshot.
      on(from, 'echo archive; read -r stored < /var/tmp/stored; sleep 0.5; echo padding'),
      on(
        to,
        'read -r archive; echo "$archive"; (sleep 0.2; echo > /var/tmp/stored) > /dev/null 2>&1 < /dev/null &',
      ),
      { signal },
    );
    expect(stored).toMatchObject({ code: 0, stdout: 'archive\n' });
    expect(sent).toMatchObject({ code: 0, stderr: '' });
  });

  it.each(['sender', 'receiver'] as const)('fails if the connection to its %s breaks', async (which) => {
    const server = await startTestServer();
    const relay = await startByteRelay({ host: '127.0.0.1', port: server.port });
    onTestFinished(() => relay.close());
    const [direct, relayed] = [await openShell(server), await openShell(server, relay.port)];
    const [from, to] = which === 'sender' ? [relayed, direct] : [direct, relayed];
    let counted = 0;
    const copying = copyStream(on(from, 'exec yes 86412'), on(to, 'exec cat > /dev/null'), {
      signal,
      onBytes: (more) => (counted += more),
    });
    const failed = expect(copying).rejects.toMatchObject({
      code: 'SERVER_CONNECTION_LOST',
      details: { address: `127.0.0.1:${relay.port}` },
    });
    await waitFor(() => counted > 1_000_000, { what: 'the stream to flow' });
    relay.cut();
    await failed;
    await waitFor(() => server.run(`pgrep -c -f '^yes 86412' || true`) === '0', {
      what: 'the sender to end',
    });
  });

  it('ends the commands on both servers when it is cancelled', async () => {
    const server = await startTestServer();
    const [from, to] = [await openShell(server), await openShell(server)];
    const cancel = new AbortController();
    let counted = 0;
    const copying = copyStream(on(from, 'exec yes 86413'), on(to, 'exec cat > /dev/null'), {
      signal: cancel.signal,
      onBytes: (more) => (counted += more),
    });
    const failed = expect(copying).rejects.toThrow('enough');
    await waitFor(() => counted > 0, { what: 'the stream to flow' });
    cancel.abort(new Error('enough'));
    await failed;
    await waitFor(() => server.run(`pgrep -c -f '^yes 86413' || true`) === '0', {
      what: 'the sender to end',
    });
  });

  it('ends the sender if the receiver exits before the sender has started', async () => {
    const server = await startTestServer();
    const output = new PassThrough();
    output.destroy();
    const shell = await openShell(server);
    const { code } = await shell.pour('exec yes 86414', output, { sudo: { kind: 'root' }, signal });
    expect(code).not.toBe(0);
    expect(server.run(`pgrep -c -f '^yes 86414' || true`)).toBe('0');
  });
});
