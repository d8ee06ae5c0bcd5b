import { PassThrough } from 'node:stream';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ClientMessageReader } from '#shared/node/client-message-reader.ts';

function frame(message: unknown): Buffer {
  const body = Buffer.from(JSON.stringify(message));
  return Buffer.concat([Buffer.from(`Content-Length: ${body.length}\r\n\r\n`), body]);
}

function read(maximum?: number) {
  const stream = new PassThrough();
  const messages: unknown[] = [];
  const errors: string[] = [];
  let closed = 0;
  const reader = new ClientMessageReader(stream, maximum);
  reader.onError((error) => errors.push(error.message));
  reader.onClose(() => (closed += 1));
  reader.listen((message) => messages.push(message));
  return { stream, messages, errors, closed: () => closed };
}

describe('ClientMessageReader (reads messages from the master)', () => {
  it('returns each message once and in order, for every division of the bytes into chunks', async () => {
    const sent = [1, 2, 3].map((id) => ({ jsonrpc: '2.0', id, result: 'ä'.repeat(id * 50) }));
    const bytes = Buffer.concat(sent.map(frame));
    await fc.assert(
      fc.asyncProperty(fc.array(fc.nat(bytes.length), { maxLength: 20 }), async (cuts) => {
        const { stream, messages, errors } = read();
        let from = 0;
        for (const to of [...cuts.sort((a, b) => a - b), bytes.length]) {
          stream.write(bytes.subarray(from, to));
          from = to;
        }
        stream.end();
        await new Promise((resolve) => stream.once('close', resolve));
        expect(errors).toEqual([]);
        expect(messages).toEqual(sent);
      }),
      { numRuns: 50 },
    );
  });

  it.each([
    ['a message that is too long, before its body arrives', 'Content-Length: 101\r\n\r\n', '101 bytes'],
    ['bytes without a header', 'x'.repeat(2000), 'Content-Length'],
    ['a header without a length', 'Content-Type: a\r\n\r\n', 'Content-Length'],
    ['a negative length', 'Content-Length: -5\r\n\r\n{}', 'Content-Length'],
    ['a body that is not JSON', 'Content-Length: 3\r\n\r\nabc', 'JSON'],
    ['JSON that is not JSON-RPC', 'Content-Length: 2\r\n\r\n[]', 'object'],
  ])('throws for %s', async (_sentence, bytes, words) => {
    const { stream, messages, errors, closed } = read(100);
    stream.write(bytes);
    await new Promise((resolve) => setImmediate(resolve));
    expect(errors).toEqual([expect.stringContaining(words)]);
    expect(closed()).toBe(1);
    stream.write(frame({ jsonrpc: '2.0', id: 1, result: 1 }));
    await new Promise((resolve) => setImmediate(resolve));
    expect(messages).toEqual([]);
  });
});
