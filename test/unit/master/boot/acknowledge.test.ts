import { describe, expect, it } from 'vitest';
import type { Caller, Handlers } from '#master/admin/api.ts';
import { acknowledgeRecorded } from '#master/boot/acknowledge.ts';
import type { MethodName } from '#shared/rpc/contract.ts';

/** Calls handlers that answer at once, or after `flushed` if they must wait until the change is recorded. */
function handlersWith(flushed: Promise<void>): (method: MethodName) => Promise<unknown> {
  const names = [
    'keys.add',
    'keys.limit',
    'keys.remove',
    'config.update',
    'templates.delete',
    'services.stop',
    'keys.list',
  ];
  const answering = Object.fromEntries(names.map((name) => [name, () => name]));
  const handlers = acknowledgeRecorded(answering as unknown as Handlers, () => flushed);
  return (method) => {
    const handler = handlers[method] as (params: unknown, caller: Caller | null) => unknown;
    return Promise.resolve(handler({}, null));
  };
}

describe('the answer to a call of the admin API', () => {
  it.each(['keys.add', 'keys.limit', 'keys.remove', 'config.update', 'templates.delete'] as const)(
    'is sent only after the change is in the security log: %s',
    async (method) => {
      let resolve: () => void = () => undefined;
      const promise = new Promise<void>((done) => {
        resolve = done;
      });
      const call = handlersWith(promise);
      const steps: unknown[] = [];
      const answered = call(method).then((answer) => steps.push(answer));
      // Everything that does not wait for the disk is done before the next turn of the event loop.
      await new Promise(setImmediate);
      steps.push('on disk');
      resolve();
      await answered;
      expect(steps).toEqual(['on disk', method]);
    },
  );

  it('is an error if the security log could not record the change', async () => {
    const full = Promise.reject(new Error('full'));
    full.catch(() => undefined);
    await expect(handlersWith(full)('keys.add')).rejects.toThrow('full');
  });

  it('is sent at once if the call is not recorded, so that services can be stopped on a full disk', async () => {
    const never = new Promise<void>(() => undefined);
    expect(await handlersWith(never)('services.stop')).toBe('services.stop');
  });
});
