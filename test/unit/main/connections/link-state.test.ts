import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { OverworldError } from '#shared/errors/overworld-error.ts';
import { toWire } from '#shared/errors/wire.ts';
import { linkSchema } from '#shared/ipc/contract.ts';
import {
  initialLinkState,
  nextLinkState,
  type LinkEvent,
  type LinkState,
  type LinkSubject,
} from '#main/connections/link-state.ts';
import { RETRY } from '#main/connections/reconnect-delay.ts';

const unreachable = toWire(new OverworldError('MASTER_UNREACHABLE', { address: 'a:1', why: 'silence' }));
const refused = toWire(new OverworldError('AUTH_REFUSED', { address: 'a:1', fingerprint: 'SHA256:x' }));
const changed = toWire(
  new OverworldError('HOST_KEY_CHANGED', { address: 'a:1', expected: 'SHA256:a', found: 'SHA256:b' }),
);
const known: LinkEvent = { kind: 'target known', address: 'a:1', hostKey: 'SHA256:a' };
const master = { version: '0.2.0', apiVersion: 5 };
const connected: LinkEvent = {
  ...{ kind: 'connected', hostKey: 'SHA256:a', run: 'c-1 1', master },
  clockOffsetMs: -600_000,
};
const embedded: LinkSubject = { connection: 'embedded', kind: 'embedded', name: 'This computer' };
const failed = (error = unreachable, now = 1000): LinkEvent => ({ kind: 'failed', error, now, random: 0.5 });

function after(...events: readonly LinkEvent[]): LinkState {
  return events.reduce(nextLinkState, initialLinkState(embedded));
}

describe('the state of the connection to a master', () => {
  it('has no address and no connection at first', () => {
    expect(after().link).toMatchObject({ status: 'starting', address: null, generation: 0 });
  });

  it('is "connecting" once the address is known, and contains the number of successful connections', () => {
    expect(after(known).link).toMatchObject({ status: 'connecting', address: 'a:1', error: null });
    expect(after(known, connected).link).toMatchObject({ status: 'connected', generation: 1 });
    expect(after(known, connected, failed(), connected).link.generation).toBe(2);
  });

  it('loses the data of the old master, but not the number of connections, when another master is selected', () => {
    const subject: LinkSubject = { connection: 'x', kind: 'remote', name: 'Berlin' };
    const { link, failures } = after(known, connected, failed(), { kind: 'chosen', subject });
    expect(link).toEqual({
      ...subject,
      ...{ address: null, status: 'starting', error: null, retryAt: null, hostKey: null, run: null },
      master: null,
      clockOffsetMs: 0,
      generation: 1,
    });
    expect(failures).toBe(0);
  });

  it('is "waiting" after a temporary failure, and contains the time of the next attempt', () => {
    const { link, failures } = after(known, failed());
    expect(link).toMatchObject({ status: 'waiting', error: { code: 'MASTER_UNREACHABLE' } });
    expect(link.retryAt).toBe(1000 + RETRY.firstMs);
    expect(failures).toBe(1);
  });

  it.each([
    ['the key is refused', refused],
    ['the host key differs from the pinned one', changed],
  ])('is "failed" and no further attempt is made when %s', (_sentence, error) => {
    expect(after(known, failed(error)).link).toMatchObject({ status: 'failed', retryAt: null });
  });

  it('contains the last error during a new attempt, and no error after a success', () => {
    const trying = after(known, failed(), { kind: 'trying' });
    expect(trying.link).toMatchObject({ status: 'connecting', error: { code: 'MASTER_UNREACHABLE' } });
    expect(nextLinkState(trying, connected).link.error).toBeNull();
  });

  it('contains the offset of the clock of the last connection while the app is disconnected', () => {
    expect(after(known, connected, failed()).link.clockOffsetMs).toBe(-600_000);
    expect(after(known, connected, { ...connected, clockOffsetMs: 0 }).link.clockOffsetMs).toBe(0);
  });

  it('counts failures from 0 again after a successful connection or a change of the address', () => {
    expect(after(known, failed(), failed(), connected).failures).toBe(0);
    expect(after(known, failed(), failed(), known).failures).toBe(0);
  });

  it('is "starting" after the embedded master has exited, and contains the reason of the exit', () => {
    const error = toWire(new OverworldError('EMBEDDED_MASTER_FAILED', { why: 'exit code 1' }));
    const { link } = after(known, connected, { kind: 'target lost', error });
    expect(link).toMatchObject({ status: 'starting', address: null, error, generation: 1 });
  });

  it('has the format that the window expects, after any sequence of events', () => {
    const event = fc.constantFrom<LinkEvent>(
      known,
      connected,
      failed(),
      failed(refused),
      { kind: 'trying' },
      { kind: 'target lost', error: null },
    );
    fc.assert(
      fc.property(fc.array(event, { maxLength: 30 }), (events) => {
        const { link } = after(...events);
        linkSchema.parse(link);
        expect(link.retryAt !== null).toBe(link.status === 'waiting');
        expect(link.generation).toBe(events.filter(({ kind }) => kind === 'connected').length);
      }),
    );
  });
});
