import { once } from 'node:events';
import { createServer, connect, type AddressInfo, type Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { joinWrites } from '#master/admin/ssh/join-writes.ts';

let client: Socket;
let socket: Socket;
let server: ReturnType<typeof createServer>;
/** Number of chunks that each system call sends. */
let calls: number[];

beforeEach(async () => {
  server = createServer();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  client = connect((server.address() as AddressInfo).port, '127.0.0.1');
  [socket] = (await once(server, 'connection')) as [Socket];
  calls = [];
  const one = socket._write.bind(socket);
  const many = socket._writev?.bind(socket);
  socket._write = (...args) => {
    calls.push(1);
    one(...args);
  };
  socket._writev = (...args) => {
    calls.push(args[0].length);
    many?.(...args);
  };
  joinWrites(socket);
});
afterEach(async () => {
  client.destroy();
  socket.destroy();
  await new Promise((resolve) => server.close(resolve));
});

async function received(): Promise<string> {
  let text = '';
  for await (const chunk of client) text += String(chunk);
  return text;
}

describe('joinWrites (combines small socket writes)', () => {
  it('sends several chunks in order with a single system call', async () => {
    for (const piece of ['a', 'b', 'c']) socket.write(piece);
    await new Promise((resolve) => setImmediate(resolve));
    for (const piece of ['d', 'e']) socket.write(piece);
    socket.end();
    expect(await received()).toBe('abcde');
    expect(calls).toEqual([3, 2]);
  });

  it('sends all chunks that were written before the socket is destroyed', async () => {
    socket.write('good');
    socket.write('bye');
    socket.end();
    socket.destroy();
    expect(await received()).toBe('goodbye');
  });

  it('calls the callback of a chunk once the chunk was sent', async () => {
    const left = new Promise((resolve) => socket.write('a', resolve));
    await left;
    expect(calls).toEqual([1]);
  });
});
