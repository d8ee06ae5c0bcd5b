import { connect, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';

/** Connection of a player through HAProxy. */
export interface TestClient {
  /** Name of the proxy that accepted the connection. */
  readonly proxy: string;
  readonly isEnded: boolean;
  /** Resolves when one side has closed the connection. */
  readonly ended: Promise<void>;
  /** Sends a text to the proxy and waits for its echo. */
  echo(text: string, timeoutMs?: number): Promise<void>;
  leave(): void;
}

/**
 * Joins as a player. Rejects if the connection is refused, closed without data, or not answered.
 *
 * @param timeoutMs maximum time until the proxy's answer (ms)
 */
export function join(port: number, timeoutMs = 10_000): Promise<TestClient> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1');
    socket.setNoDelay(true);
    let buffer = '';
    let proxy: string | null = null;
    let isEnded = false;
    const waiting = new Set<() => void>();
    let end: () => void = () => undefined;
    const ended = new Promise<void>((done) => (end = done));
    const timer = setTimeout(() => {
      socket.destroy();
      reject(new Error(`no answer within ${timeoutMs} ms`));
    }, timeoutMs);
    socket.on('connect', () => socket.write('hello\n'));
    socket.on('error', reject);
    socket.on('close', () => {
      clearTimeout(timer);
      isEnded = true;
      end();
      for (const wake of waiting) wake();
      reject(new Error('it was closed without a word'));
    });
    socket.on('data', (part: Buffer) => {
      buffer += part.toString();
      const at = buffer.indexOf('\n');
      if (proxy === null && at >= 0) {
        clearTimeout(timer);
        proxy = buffer.slice(0, at);
        buffer = buffer.slice(at + 1);
        resolve(client(proxy));
      }
      for (const wake of waiting) wake();
    });
    const client = (name: string): TestClient => ({
      proxy: name,
      ended,
      get isEnded() {
        return isEnded;
      },
      echo: (text, echoTimeoutMs = 5_000) =>
        new Promise((done, fail) => {
          const late = setTimeout(() => fail(new Error('no echo')), echoTimeoutMs);
          const wake = (): void => {
            if (!isEnded && !buffer.includes(text)) return;
            clearTimeout(late);
            waiting.delete(wake);
            if (isEnded) fail(new Error('cut off'));
            else done();
            buffer = '';
          };
          waiting.add(wake);
          if (isEnded) wake();
          else socket.write(text);
        }),
      leave: () => leave(socket),
    });
  });
}

function leave(socket: Socket): void {
  socket.end();
  socket.destroy();
}

/** Joins as a player, who leaves when the test ends. */
export async function player(port: number): Promise<TestClient> {
  const client = await join(port);
  onTestFinished(() => client.leave());
  return client;
}
