import { createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import pino from 'pino';
import { expect, it, onTestFinished } from 'vitest';
import { serveApiOn } from '#master/admin/ssh-service/master-side/serve-api-on.ts';
import { ServedSessions } from '#master/admin/ssh-service/master-side/served-sessions.ts';
import { temporaryFolder } from '#test/support/temporary-folder.ts';
import { waitFor } from '#test/support/wait-for.ts';

const log = pino({ level: 'silent' });

const unused = (): never => {
  throw new Error('not used');
};

/**
 * Creates a master that opens connections to an SSH service. The service writes a line on each of the first ten
 * connections. `connectedAt` contains the times of the connections. `served` is the number of channels that the
 * master serves.
 */
function setUp(line: string, retryMs: number) {
  const state = { connectedAt: [] as number[], served: 0 };
  const sockets = new Set<Socket>();
  const service = createServer((socket) => {
    state.connectedAt.push(performance.now());
    sockets.add(socket);
    socket.on('error', () => undefined);
    if (state.connectedAt.length <= 10) socket.write(`${line}\n`);
  });
  const path = join(temporaryFolder(), 'ssh.sock');
  const ended = new AbortController();
  const sessions = new ServedSessions();
  sessions.add({
    ...{ id: 's1', views: undefined, onFileEvent: unused, openChannel: unused, close: unused },
    key: { name: 'anna', fingerprint: 'SHA256:anna', role: 'owner', templates: null, addedAt: 0 },
    serveApi: () => void (state.served += 1),
  });
  service.listen(path, () => serveApiOn(path, { sessions, log, signal: ended.signal, retryMs }));
  onTestFinished(() => {
    ended.abort();
    for (const socket of sockets) socket.destroy();
    service.close();
  });
  return state;
}

it.each(['{"session":"s2"}', 'no session'])(
  'the master waits before the next connection if the SSH service sends the line %s',
  async (line) => {
    const state = setUp(line, 200);
    await waitFor(() => state.connectedAt.length >= 3);
    const [first = 0, second = 0, third = 0] = state.connectedAt;
    // Timers may fire a millisecond early.
    expect(second - first).toBeGreaterThan(195);
    expect(third - second).toBeGreaterThan(195);
    expect(state.served).toBe(0);
  },
);

it('the master serves up to 10 channels of a session, and always keeps one unused connection open', async () => {
  const state = setUp('{"session":"s1"}', 60_000);
  await waitFor(() => state.connectedAt.length === 11);
  expect(state.served).toBe(10);
});
