import { PassThrough } from 'node:stream';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { OverworldError } from '#shared/errors/overworld-error.ts';
import { roles } from '#shared/model/role.ts';
import { methods } from '#shared/rpc/contract.ts';
import type { Handlers } from '#master/admin/api.ts';
import { dispatch } from '#master/admin/rpc/dispatch.ts';
import { BoundedMessageReader } from '#master/admin/rpc/message-reader.ts';
import { hostileText } from '#test/support/fuzz/hostile-text.ts';
import { runs } from '#test/support/fuzz/runs.ts';

const MAX_MESSAGE_BYTES = 1_000;
const MAX_IN_FLIGHT = 4;

const framed = (body: string): string => `Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;
const valid = framed(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'services.list', params: {} }));

describe('messages of a hostile client of the admin API', () => {
  it('are requests or an error, and never more requests than permitted, however they arrive', async () => {
    const stream = fc.array(
      fc.oneof(hostileText(valid), hostileText(valid).map(framed), fc.constant(valid)),
      {
        maxLength: 8,
      },
    );
    await fc.assert(
      fc.asyncProperty(stream, fc.integer({ min: 1, max: 200 }), async (texts, pieceBytes) => {
        const socket = new PassThrough();
        const reader = new BoundedMessageReader(socket, {
          maxMessageBytes: MAX_MESSAGE_BYTES,
          maxInFlight: MAX_IN_FLIGHT,
        });
        let [requests, errors] = [0, 0];
        reader.onError(() => (errors += 1));
        reader.listen(() => (requests += 1));
        const bytes = Buffer.from(texts.join('')).subarray(0, 50_000);
        for (let at = 0; at < bytes.length; at += pieceBytes)
          socket.write(bytes.subarray(at, at + pieceBytes));
        socket.end();
        await new Promise((resolve) => setImmediate(resolve));
        expect(requests).toBeLessThanOrEqual(MAX_IN_FLIGHT);
        expect(errors).toBeLessThanOrEqual(1);
      }),
      { numRuns: runs({ change: 500, night: 100_000 }) },
    );
  });

  it('are handled or refused with an error of the contract, whatever they ask for', async () => {
    const handlers = new Proxy({}, { get: () => () => 'handled' }) as Handlers;
    const method = fc.oneof(fc.constantFrom(...Object.keys(methods)), fc.string());
    const params = fc.oneof(
      fc.jsonValue(),
      fc.dictionary(
        fc.constantFrom(
          'id',
          'service',
          'template',
          'path',
          'paths',
          'node',
          'key',
          'limit',
          'config',
          '__proto__',
        ),
        fc.oneof(fc.jsonValue({ maxDepth: 1 }), fc.constantFrom('lobby', 'lobby-1', '/templates/lobby', 5)),
      ),
    );
    await fc.assert(
      fc.asyncProperty(method, params, fc.constantFrom(...roles), async (name, value, role) => {
        const caller = {
          name: 'test',
          role,
          templates: null,
          notify: () => undefined,
          onClose: () => undefined,
        };
        const result = await dispatch({ method: name, params: value }, caller, handlers).catch(
          (error: unknown) => error,
        );
        if (result === 'handled') return;
        expect(result).toBeInstanceOf(OverworldError);
        expect(['METHOD_UNKNOWN', 'FORBIDDEN', 'PARAMS_INVALID']).toContain((result as OverworldError).code);
      }),
      { numRuns: runs({ change: 3_000, night: 500_000 }) },
    );
  });
});
