import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { describe, expect, it, onTestFinished } from 'vitest';
import { quote } from '#shared/text/shell.ts';
import { startByteRelay } from '#test/support/byte-relay.ts';
import { openShell } from '#test/support/install/open-shell.ts';
import { canStartTestServer, startTestServer } from '#test/support/install/test-server.ts';
import { temporaryFolder } from '#test/support/temporary-folder.ts';
import { waitFor } from '#test/support/wait-for.ts';
import { configureCommand } from '#main/install/steps/configure-master.ts';

const sudo = { kind: 'root' } as const;
const signal = new AbortController().signal;
const lost = expect.objectContaining({ code: 'SERVER_CONNECTION_LOST' }) as Error;

describe.runIf(canStartTestServer)('a script that the app runs on a server', () => {
  it('returns output, error output and exit code', async () => {
    const shell = await openShell(await startTestServer());
    const lines: string[] = [];
    const hostile = `it's "$HOME" \\ \n ü`;
    const script = `printf %s ${quote(hostile)}; echo; echo no >&2; cat; exit 3`;
    expect(await shell.run(script, { sudo, signal, onLine: (line) => lines.push(line) })).toEqual({
      ...{ code: 3, stdout: `${hostile}\n`, stderr: 'no\n' },
    });
    expect(lines).toEqual(hostile.split('\n'));
    expect((await shell.run('kill -KILL $$', { sudo, signal })).code).not.toBe(0);
  });

  it('receives its input unchanged', async () => {
    const shell = await openShell(await startTestServer());
    const chunks = Array.from({ length: 40 }, (_, at) => Buffer.alloc(100_000, at));
    const { createHash } = await import('node:crypto');
    const digest = createHash('sha256').update(Buffer.concat(chunks)).digest('hex');
    const { stdout } = await shell.feed('sha256sum', Readable.from(chunks), { sudo, signal });
    expect(stdout).toContain(digest);
  });

  it('fails if its input stream fails', async () => {
    const shell = await openShell(await startTestServer());
    const broken = Readable.from(
      (function* () {
        yield Buffer.alloc(1000);
        throw new Error('the disk is broken');
      })(),
    );
    await expect(shell.feed('cat > /dev/null', broken, { sudo, signal })).rejects.toThrow(
      'the disk is broken',
    );
  });

  it('ends with all its child processes when it is cancelled', async () => {
    const server = await startTestServer();
    const shell = await openShell(server);
    const cancel = new AbortController();
    const running = shell.run('sleep 86401 & sleep 86402 & wait', { sudo, signal: cancel.signal });
    const sleepers = () => server.run(`pgrep -c -f '^sleep 8640[12]' || true`);
    await waitFor(() => sleepers() === '2', { what: 'the script to run' });
    cancel.abort(new Error('enough'));
    await expect(running).rejects.toThrow('enough');
    expect(await waitFor(() => sleepers() === '0', { what: 'the children to end' })).toBe(true);
    await expect(shell.run('true', { sudo, signal: cancel.signal })).rejects.toThrow('enough');
  });

  it('ends on the server when the connection breaks, and fails with this reason', async () => {
    const server = await startTestServer();
    const relay = await startByteRelay({ host: '127.0.0.1', port: server.port });
    onTestFinished(() => relay.close());
    const shell = await openShell(server, relay.port);
    const running = shell.run('sleep 86403', { sudo, signal });
    const sleepers = () => server.run(`pgrep -c -f '^sleep 86403' || true`);
    await waitFor(() => sleepers() === '1', { what: 'the script to run' });
    relay.cut();
    await expect(running).rejects.toThrow(lost);
    expect(await waitFor(() => sleepers() === '0', { what: 'the script to end' })).toBe(true);
    await expect(shell.run('true', { sudo, signal })).rejects.toThrow(lost);
  });
});

describe('the command that sets up a master on a server', () => {
  it('passes each hostile value as a single argument', () => {
    const hostile = `$(touch /tmp/x)'"; id; "`;
    const command = configureCommand({
      ...{ hostname: hostile, ownerKey: `ssh-ed25519 AAAA ${hostile}`, sshPort: 2023 },
      ...{ haproxy: true, openPorts: false },
      services: false,
    });
    const folder = temporaryFolder();
    writeFileSync(join(folder, 'overworld-master'), `#!/bin/sh\nprintf '%s\\n' "$@"\n`, { mode: 0o755 });
    const printed = execFileSync('sh', ['-c', command], { env: { PATH: `${folder}:/usr/bin:/bin` } });
    expect(printed.toString().trimEnd().split('\n')).toEqual([
      ...['install', `--hostname=${hostile}`, `--owner-key=ssh-ed25519 AAAA ${hostile}`],
      ...['--ssh-port=2023', '--haproxy'],
    ]);
  });
});
