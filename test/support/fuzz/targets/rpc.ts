import { ok } from 'node:assert/strict';
import { PassThrough } from 'node:stream';
import fc from 'fast-check';
import { OverworldError } from '#shared/errors/overworld-error.ts';
import { roles } from '#shared/model/access/role.ts';
import { methods } from '#shared/rpc/contract.ts';
import type { Handlers } from '#master/admin/api.ts';
import { dispatch } from '#master/admin/rpc/dispatch.ts';
import { BoundedMessageReader } from '#master/admin/rpc/message-reader.ts';
import { hostileText } from '../hostile-text.ts';
import { fuzzer, type FuzzTarget } from '../target.ts';

const MAX_MESSAGE_BYTES = 1_000;
const MAX_IN_FLIGHT = 4;
/** Maximum size of a stream (bytes). */
const MAX_BYTES = 50_000;

const framed = (body: string): string => `Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;
const valid = framed(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'services.list', params: {} }));

const stream = fc.record({
  texts: fc.array(fc.oneof(hostileText(valid), hostileText(valid).map(framed), fc.constant(valid)), {
    maxLength: 8,
  }),
  pieceBytes: fc.integer({ min: 1, max: 200 }),
});

/**
 * Checks that a stream results in no more requests than permitted, and in at most one error, in whatever pieces it
 * arrives.
 */
export const rpcMessages: FuzzTarget = {
  name: 'messages of the admin API',
  runs: { change: 500, night: 100_000 },
  msPerRun: 40,
  mostGrowthMb: 300,
  open: () => ({
    fuzz: fuzzer(stream, async ({ texts, pieceBytes }) => {
      const socket = new PassThrough();
      const reader = new BoundedMessageReader(socket, {
        maxMessageBytes: MAX_MESSAGE_BYTES,
        maxInFlight: MAX_IN_FLIGHT,
      });
      let [requests, errors] = [0, 0];
      reader.onError(() => (errors += 1));
      reader.listen(() => (requests += 1));
      const bytes = Buffer.from(texts.join('')).subarray(0, MAX_BYTES);
      for (let at = 0; at < bytes.length; at += pieceBytes) socket.write(bytes.subarray(at, at + pieceBytes));
      socket.end();
      await new Promise((resolve) => setImmediate(resolve));
      ok(requests <= MAX_IN_FLIGHT, `${requests} requests`);
      ok(errors <= 1, `${errors} errors`);
    }),
  }),
};

const fieldNames = [
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
];
const fieldValue = fc.oneof(
  fc.jsonValue({ maxDepth: 1 }),
  fc.constantFrom('lobby', 'lobby-1', '/templates/lobby', 5),
);
const request = fc.record({
  method: fc.oneof(fc.constantFrom(...Object.keys(methods)), fc.string()),
  params: fc.oneof(fc.jsonValue(), fc.dictionary(fc.constantFrom(...fieldNames), fieldValue)),
  role: fc.constantFrom(...roles),
});

/** Checks that each request is handled, or refused with an error of the contract. */
export const rpcRequests: FuzzTarget = {
  name: 'requests of the admin API',
  runs: { change: 3_000, night: 1_000_000 },
  msPerRun: 40,
  mostGrowthMb: 300,
  open: () => {
    const handlers = new Proxy({}, { get: () => () => 'handled' }) as Handlers;
    return {
      fuzz: fuzzer(request, async ({ method, params, role }) => {
        const caller = {
          name: 'test',
          role,
          templates: null,
          notify: () => undefined,
          onClose: () => undefined,
        };
        const result = await dispatch({ method, params }, caller, handlers).catch((error: unknown) => error);
        if (result === 'handled') return;
        ok(result instanceof OverworldError, `not an error of the contract: ${String(result)}`);
        const { code } = result as OverworldError;
        ok(['METHOD_UNKNOWN', 'FORBIDDEN', 'PARAMS_INVALID'].includes(code), code);
      }),
    };
  },
};
