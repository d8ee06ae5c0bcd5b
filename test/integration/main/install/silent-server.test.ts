import { generateKeyPairSync } from 'node:crypto';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import ssh2, { type Client, type Session } from 'ssh2';
import { expect, it, onTestFinished } from 'vitest';
import { ServerShell } from '#main/install/server/shell.ts';

/** Time for which the shell waits for the server when it ends (ms). A cancellation takes at most twice this time. */
const END_MS = 100;

/** Starts an SSH server that accepts every login, and connects to it. `asked` resolves at the first command. */
async function openSilentShell(onExec: (accept: () => ssh2.ServerChannel) => void): Promise<{
  readonly shell: ServerShell;
  readonly asked: Promise<unknown>;
}> {
  const { privateKey: key } = generateKeyPairSync('rsa', {
    modulusLength: 2048,
    privateKeyEncoding: { type: 'pkcs1', format: 'pem' },
    publicKeyEncoding: { type: 'pkcs1', format: 'pem' },
  });
  let told: (value: unknown) => void = () => undefined;
  const asked = new Promise((resolve) => (told = resolve));
  const server = new ssh2.Server({ hostKeys: [key] }, (connection) => {
    connection.on('error', () => undefined);
    connection.on('authentication', (attempt) => attempt.accept());
    connection.on('session', (accept) => {
      const session: Session = accept();
      session.on('exec', (acceptExec) => {
        onExec(acceptExec);
        told(null);
      });
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const client: Client = new ssh2.Client();
  client.on('error', () => undefined);
  client.connect({ host: '127.0.0.1', port: (server.address() as AddressInfo).port, username: 'root' });
  await once(client, 'ready');
  onTestFinished(() => {
    client.destroy();
    server.close();
  });
  return { shell: new ServerShell(client, 'silent', END_MS), asked };
}

it.each([
  [
    'never closes its channel',
    (accept: () => ssh2.ServerChannel) => {
      // Prevent the library from confirming the end of the channel.
      accept().close = () => undefined;
    },
  ],
  ['never answers', () => undefined],
])(
  'a cancelled script ends with the reason of the cancellation even if the server %s',
  async (_what, onExec) => {
    const { shell, asked } = await openSilentShell(onExec);
    const cancel = new AbortController();
    const running = shell.run('sleep 86400', { sudo: null, signal: cancel.signal });
    await asked;
    cancel.abort(new Error('enough'));
    await expect(running).rejects.toThrow('enough');
    // The shell has closed the connection, so it cannot be used again.
    const next = shell.run('true', { sudo: null, signal: new AbortController().signal });
    await expect(next).rejects.toMatchObject({ code: 'SERVER_CONNECTION_LOST' });
  },
);
