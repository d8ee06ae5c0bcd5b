import { z } from 'zod';
import { OverworldError } from '#shared/errors/overworld-error.ts';
import { fromWire, toWire, wireErrorSchema } from '#shared/errors/wire.ts';
import { status } from '#master/files/sftp/protocol/protocol.ts';
import { Refusal, toRefusal } from '#master/files/sftp/protocol/refusal.ts';
import { DiskReserveReached } from '#master/store/disk-reserve.ts';

const peerErrorSchema = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('error'), error: wireErrorSchema }),
  z.strictObject({ kind: z.literal('refusal'), status: z.enum(status), message: z.string() }),
  z.strictObject({ kind: z.literal('reserve'), message: z.string() }),
]);

/** An error in the form in which one process sends it to the other. */
type PeerError = z.infer<typeof peerErrorSchema>;

/**
 * Converts an error to the form in which it is sent. The other process then throws an error of the same kind.
 *
 * @param onUnexpected called with the cause of an unexpected error, which only this process may log
 */
export function toPeerError(thrown: unknown, onUnexpected: (cause: unknown) => void): PeerError {
  if (thrown instanceof OverworldError) return { kind: 'error', error: toWire(thrown) };
  if (thrown instanceof DiskReserveReached) return { kind: 'reserve', message: thrown.message };
  const refusal = toRefusal(thrown);
  if (refusal.cause !== undefined) onUnexpected(refusal.cause);
  return { kind: 'refusal', status: refusal.status, message: refusal.message };
}

/** Converts a received error back. If the data does not have the form of a sent error, returns an INTERNAL error. */
export function fromPeerError(data: unknown): Error {
  const parsed = peerErrorSchema.safeParse(data);
  if (!parsed.success) return fromWire(data);
  switch (parsed.data.kind) {
    case 'error':
      return fromWire(parsed.data.error);
    case 'refusal':
      return new Refusal(parsed.data.status, parsed.data.message);
    case 'reserve':
      return new DiskReserveReached(parsed.data.message);
  }
}
