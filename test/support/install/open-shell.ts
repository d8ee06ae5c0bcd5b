import { readHostKey } from '#main/install/server/host-key.ts';
import { openServer } from '#main/install/server/open-server.ts';
import { ServerShell } from '#main/install/server/shell.ts';
import { onTestFinished } from 'vitest';
import type { TestServer } from './test-server.ts';

/**
 * Logs in to the test's server as root. @param port another port that leads to the server, such as that of a relay
 */
export async function openShell(server: TestServer, port = server.port): Promise<ServerShell> {
  const [, , blob = ''] = server.knownHosts.split(' ');
  const client = await openServer(
    { host: '127.0.0.1', port },
    {
      hostKey: readHostKey(Buffer.from(blob, 'base64')),
      login: {
        user: 'root',
        refused: '',
        methods: [{ type: 'publickey', username: 'root', key: server.key }],
      },
      signal: AbortSignal.timeout(60_000),
    },
  );
  const shell = new ServerShell(client, `127.0.0.1:${port}`);
  onTestFinished(() => shell.close());
  return shell;
}
