import { describe, expect, it } from 'vitest';
import type { Caller, Handlers } from '#master/admin/api.ts';
import { acknowledgeRecorded } from '#master/boot/acknowledge.ts';
import { methods, type MethodName } from '#shared/rpc/contract.ts';
import { otherViewerMethods, readCalls } from '#test/support/contract/read-calls.ts';

const allMethods = Object.keys(methods) as MethodName[];

/**
 * Methods whose answers do not wait for the security log. When these methods answer, they have added no event that
 * the security log records. Methods in `readCalls` and `otherViewerMethods` are not listed here. A new method must be
 * added here, or to the methods of a kind in control/feed/security-events.ts.
 */
const AT_ONCE: readonly MethodName[] = [
  // The master stops after the answer.
  'master.shutdown',
  'config.text',
  'config.freePort',
  'templates.text',
  'templates.restart',
  'templates.cancelDelete',
  'templates.hold',
  'software.download',
  'services.hold',
  'services.start',
  'services.stop',
  'services.drain',
  'services.cancelDrain',
  'services.restart',
  'services.command',
  'services.keepCopy',
  'services.copyToTemplate',
  'volumes.save',
  'volumes.clone',
  'nodes.hold',
  'nodes.lock',
  // After the answer, a round of the control loop releases the node.
  'nodes.schedule',
  'provider.test',
  'provider.preview',
  'players.kick',
  'players.send',
  'files.copy',
  'security.list',
  'security.verify',
];

/**
 * Returns a function that calls handlers. A handler answers at once, or after `flushed` if it must wait until the
 * change is recorded.
 */
function handlersWith(flushed: Promise<void>): (method: MethodName) => Promise<unknown> {
  const answering = allMethods.map((name): [string, unknown] => [name, () => name]);
  const handlers = acknowledgeRecorded(Object.fromEntries(answering) as Handlers, () => flushed);
  return (method) => {
    const handler = handlers[method] as (params: unknown, caller: Caller | null) => unknown;
    return Promise.resolve(handler({}, null));
  };
}

/** Reports whether a method answers although the security log never reaches the disk. */
async function answersAtOnce(method: MethodName): Promise<boolean> {
  const answer = handlersWith(new Promise(() => undefined))(method).then(() => true);
  // An answer that does not wait for the disk arrives before the next turn of the event loop.
  return Promise.race([answer, new Promise(setImmediate).then(() => false)]);
}

describe('the answer to a call of the admin API', () => {
  it.each([
    ...(['keys.add', 'keys.limit', 'keys.remove', 'config.update', 'templates.delete'] as const),
    ...(['templates.createAll', 'software.install', 'volumes.restore', 'volumes.import'] as const),
    ...(['volumes.delete', 'volumes.attach', 'nodes.deleteForeign'] as const),
  ])('is sent only after the change is in the security log: %s', async (method) => {
    let resolve: () => void = () => undefined;
    const promise = new Promise<void>((done) => {
      resolve = done;
    });
    const call = handlersWith(promise);
    const steps: unknown[] = [];
    const answered = call(method).then((answer) => steps.push(answer));
    await new Promise(setImmediate);
    steps.push('on disk');
    resolve();
    await answered;
    expect(steps).toEqual(['on disk', method]);
  });

  it('waits for the security log, except for methods that only read or that record nothing before they answer', async () => {
    const changing = allMethods.filter(
      (method) => readCalls[method] === undefined && !otherViewerMethods.includes(method),
    );
    const atOnce: MethodName[] = [];
    for (const method of changing) if (await answersAtOnce(method)) atOnce.push(method);
    expect(atOnce.sort()).toEqual([...AT_ONCE].sort());
  });

  it('is an error if the security log could not record the change', async () => {
    const full = Promise.reject(new Error('full'));
    full.catch(() => undefined);
    await expect(handlersWith(full)('keys.add')).rejects.toThrow('full');
  });

  it('is sent at once if the call is not recorded, so that services can be stopped on a full disk', async () => {
    expect(await answersAtOnce('services.stop')).toBe(true);
  });
});
