import { describe, expect, it } from 'vitest';
import type { AuthorizedKey } from '#shared/model/access/role.ts';
import type { Caller } from '#master/admin/api.ts';
import { sessionsHandlers } from '#master/admin/handlers/sessions.ts';
import { SessionRegistry } from '#master/admin/sessions.ts';

const KEY: AuthorizedKey = {
  ...{ name: 'anna', role: 'owner' as const, templates: null, publicKey: 'ssh-ed25519 x' },
  ...{ fingerprint: 'SHA256:x', addedAt: 0 },
};

/**
 * Opens two sessions of one key. The first session then requests the end of itself (`own`) or of the second session.
 */
function endSession(which: 'own' | 'other') {
  const record = { succeed: (): void => undefined, fail: (): void => undefined };
  const recorded = new Promise<void>((resolve, reject) => {
    record.succeed = resolve;
    record.fail = () => reject(new Error('full'));
  });
  const steps: string[] = [];
  const registry = new SessionRegistry();
  const open = (name: string) =>
    registry.open({
      ...{ key: KEY, address: '127.0.0.1', client: 'test' },
      hangUp: () => void steps.push(`${name} session closed`),
    });
  const ids = { own: open('own').id, other: open('other').id };
  const caller: Caller = {
    ...{ name: 'anna', role: 'owner', templates: null, session: ids.own },
    ...{ notify: () => undefined, onClose: () => undefined },
  };
  const end = sessionsHandlers(registry, () => recorded)['sessions.end'];
  const answered = Promise.resolve(end({ session: ids[which] }, caller)).then(
    () => void steps.push('answered'),
    () => void steps.push('error'),
  );
  return { steps, answered, record };
}

describe('a request to end a session', () => {
  it("closes the caller's own session only after the end is recorded and the request is answered", async () => {
    const { steps, answered, record } = endSession('own');
    await new Promise(setImmediate);
    expect(steps).toEqual([]);
    record.succeed();
    await answered;
    expect(steps).toEqual(['answered']);
    await new Promise(setImmediate);
    expect(steps).toEqual(['answered', 'own session closed']);
  });

  it('closes another session at once, and is answered when the end is recorded', async () => {
    const { steps, answered, record } = endSession('other');
    await new Promise(setImmediate);
    expect(steps).toEqual(['other session closed']);
    record.succeed();
    await answered;
    expect(steps).toEqual(['other session closed', 'answered']);
  });

  it.each(['own', 'other'] as const)(
    'closes the session even if the end cannot be recorded (%s session)',
    async (which) => {
      const { steps, answered, record } = endSession(which);
      record.fail();
      await answered;
      await new Promise(setImmediate);
      expect(steps.sort()).toEqual(['error', `${which} session closed`]);
    },
  );
});
