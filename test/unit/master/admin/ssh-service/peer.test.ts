import { duplexPair, type Duplex } from 'node:stream';
import pino from 'pino';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { z } from 'zod';
import {
  MAX_MESSAGE_BYTES,
  MAX_REQUEST_OF_SERVICE_BYTES,
  toMaster,
} from '#master/admin/ssh-service/messages.ts';
import { connectPeer, type Peer } from '#master/admin/ssh-service/peer.ts';
import { waitFor } from '#test/support/wait-for.ts';

const log = pino({ level: 'silent' });
const messages = {
  echo: {
    params: z.strictObject({ text: z.string().max(100) }),
    result: z.strictObject({ text: z.string() }),
  },
  read: { params: z.strictObject({}), result: z.strictObject({ text: z.string() }) },
} as const;
const limits = { maxAnswerBytes: 1_000_000, maxRequestBytes: 1_000, maxPending: 4 };

/**
 * Starts the side of the connection that has the handlers, and returns the stream to that side. `calls` is the number
 * of calls that have reached the handlers.
 */
function startPeer(read: () => Promise<{ text: string }>) {
  const [ours, theirs] = duplexPair();
  const state = { calls: 0, isClosed: false };
  const handle = <T>(answer: T): T => {
    state.calls += 1;
    return answer;
  };
  connectPeer({
    ...{ stream: theirs, sends: {}, receives: messages, limits, log },
    handlers: { echo: ({ text }) => handle({ text }), read: () => handle(read()) },
    onClose: () => (state.isClosed = true),
  });
  onTestFinished(() => {
    ours.destroy();
  });
  return { stream: ours, serving: theirs, state };
}

function clientOf(stream: Duplex): Peer<typeof messages> {
  return connectPeer({
    ...{ stream, sends: messages, receives: {}, handlers: {}, log, onClose: () => undefined },
    limits: { ...limits, maxPending: 1_000 },
  });
}

function framed(message: object): string {
  const body = JSON.stringify({ jsonrpc: '2.0', ...message });
  return `Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;
}

describe('a peer (one side of the connection between master and SSH service)', () => {
  it('rejects a call with invalid parameters, and still answers other calls', async () => {
    const { stream, state } = startPeer(() => Promise.resolve({ text: '' }));
    const peer = clientOf(stream);
    await expect(peer.call('echo', { text: 'x'.repeat(101) })).rejects.toMatchObject({ code: 'INTERNAL' });
    peer.notify('echo', { text: 'x'.repeat(101) });
    expect(await peer.call('echo', { text: 'x' })).toEqual({ text: 'x' });
    expect(state).toEqual({ calls: 1, isClosed: false });
  });

  it('stops reading while the maximum number of requests is in progress', async () => {
    const release: (() => void)[] = [];
    const { stream, serving, state } = startPeer(
      () => new Promise((resolve) => release.push(() => resolve({ text: '' }))),
    );
    for (let id = 0; id < 10; id++) stream.write(framed({ id, method: 'read', params: {} }));
    await waitFor(() => state.calls === 4 && serving.isPaused());
    expect(state.calls).toBe(4);
    stream.resume();
    while (state.calls < 10) {
      for (const one of release.splice(0)) one();
      await waitFor(() => release.length > 0 || state.calls === 10);
    }
    expect(state.isClosed).toBe(false);
  });

  it('stops reading while the other side does not read the answers', async () => {
    const { stream, serving, state } = startPeer(() => Promise.resolve({ text: 'x'.repeat(100_000) }));
    for (let id = 0; id < 50; id++) stream.write(framed({ id, method: 'read', params: {} }));
    await waitFor(() => serving.isPaused());
    expect(state.calls).toBeLessThanOrEqual(6);
    stream.resume();
    await waitFor(() => state.calls === 50);
  });

  it('stops reading while too many answers and notifications are queued', async () => {
    const { stream, serving, state } = startPeer(() => Promise.resolve({ text: '' }));
    const answers = Array.from({ length: 500 }, (_, id) => framed({ id, result: { text: 'x'.repeat(900) } }));
    const notes = Array.from({ length: 500 }, () => framed({ method: 'echo', params: { text: 'x' } }));
    const paused = vi.spyOn(serving, 'pause');
    stream.write([...answers, ...notes].join(''));
    await waitFor(() => state.calls === 500);
    expect(paused).toHaveBeenCalled();
    expect(state.isClosed).toBe(false);
  });

  it.each([
    ['a result', { id: 1, method: 'echo', params: { text: 'x' }, result: 0 }],
    ['an error', { id: 1, method: 'echo', params: { text: 'x' }, error: { code: 1, message: 'x' } }],
    ['a result of null', { id: 1, method: 'echo', params: { text: 'x' }, result: null }],
    [
      'a result that is larger than a request can be',
      { id: 1, method: 'read', params: {}, result: 'x'.repeat(2_000) },
    ],
    ['a result but no id', { method: 'echo', params: { text: 'x' }, result: 0 }],
  ])('closes the connection after a request with %s', async (_, message) => {
    const { stream, state } = startPeer(() => Promise.resolve({ text: '' }));
    stream.write(framed(message));
    await waitFor(() => state.isClosed);
    expect(state.calls).toBe(0);
  });

  it('rejects a call with the error SSH_SERVICE_ENDED if the request cannot be written', async () => {
    const { stream } = startPeer(() => Promise.resolve({ text: '' }));
    const peer = clientOf(stream);
    vi.spyOn(stream, 'write').mockImplementation((...args: unknown[]) => {
      const done = args.at(-1) as (error: Error | null) => void;
      // The write of the header succeeds. The write of the body fails.
      done(typeof args[0] === 'string' ? null : new Error('EPIPE'));
      return true;
    });
    await expect(peer.call('echo', { text: 'x' })).rejects.toMatchObject({ code: 'SSH_SERVICE_ENDED' });
  });
});

describe('a message between master and SSH service', () => {
  const session = 'x'.repeat(64);
  const control = (length: number): string => '\u0001'.repeat(length);
  const base64 = (bytes: number): string => Buffer.alloc(bytes).toString('base64');
  const place = { session, view: 'volumes' } as const;

  it.each([
    [
      'login',
      {
        address: 'x'.repeat(256),
        software: control(1_024),
        algorithm: 'ssh-rsa',
        key: base64(4_096),
        proof: { signature: base64(3_072), signed: base64(8_192), hash: 'sha512' },
      },
    ],
    ['view.stat', { ...place, names: Array.from({ length: 2_048 }, () => control(1)) }],
    ['view.stat', { ...place, names: Array.from({ length: 16 }, () => control(255)) }],
    ['fileEvent', { session, kind: 'files.renamed', path: control(4_097), to: control(4_097) }],
  ] as const)(
    'never exceeds the maximum size, even if all values have the maximum length: %s',
    (name, params) => {
      expect(toMaster[name].params.safeParse(params).error).toBeUndefined();
      const message = { jsonrpc: '2.0', id: 2 ** 52, method: name, params };
      expect(JSON.stringify(message).length).toBeLessThan(MAX_REQUEST_OF_SERVICE_BYTES);
      expect(MAX_REQUEST_OF_SERVICE_BYTES).toBeLessThan(MAX_MESSAGE_BYTES);
    },
  );
});
