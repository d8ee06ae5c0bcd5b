import { EventEmitter } from 'node:events';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { Login } from '#master/nodes/ssh/connect.ts';
import { NodeConnection } from '#master/nodes/ssh/connection.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

it('NodeConnection.end leaves no timer behind if the connection is already closed', async () => {
  const socket = Object.assign(new EventEmitter(), { closed: false, destroy: () => undefined });
  const end = vi.fn();
  const client = Object.assign(new EventEmitter(), { end });
  const login = { client, socket, hostKey: 'SHA256:qJ3f' } as unknown as Login;
  const connection = new NodeConnection('node-1', login);
  connection.end('it is no longer managed');
  socket.closed = true;
  socket.emit('close');
  client.emit('close');
  expect(await connection.broken).toMatchObject({ why: 'it is no longer managed' });

  connection.end('it is being reconnected');
  expect(vi.getTimerCount()).toBe(0);
  expect(end).toHaveBeenCalledTimes(1);
});
