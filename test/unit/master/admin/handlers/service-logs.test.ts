import { describe, expect, it } from 'vitest';
import type { Caller } from '#master/admin/api.ts';
import { serviceLogHandlers } from '#master/admin/handlers/services/service-logs.ts';

const LINE = { seq: 1, text: 'Done' };

/** Returns handlers of a master whose services are on a node that opens a log only when the test says so. */
function aMaster() {
  const opening: { open: () => void; fail: () => void }[] = [];
  const logs = { open: 0 };
  const runtime = {
    followLog: () =>
      new Promise((resolve, reject) => {
        const open = (): void => {
          logs.open += 1;
          resolve({ lines: [LINE], close: () => void (logs.open -= 1) });
        };
        opening.push({ open, fail: () => reject(new Error('the node does not answer')) });
      }),
  };
  const records = { get: (id: string) => ({ id, node: 'node-1' }) };
  const handlers = serviceLogHandlers({ records, runtimeOf: () => runtime } as never);
  const connection = { isOpen: true, endings: [] as (() => void)[] };
  const caller: Caller = {
    name: 'anna',
    role: 'viewer',
    templates: null,
    notify: () => undefined,
    onClose: (listener) => {
      if (connection.isOpen) connection.endings.push(listener);
      else listener();
    },
  };
  /** Sends a request to follow a log. Resolves when the request has reached the node. */
  const follow = async (id = 'lobby-1') => {
    const lines = Promise.resolve(handlers['services.followLog']({ id, lines: 5 }, caller));
    // The test awaits the answer later.
    lines.catch(() => undefined);
    await new Promise(setImmediate);
    return { lines, node: opening.at(-1) };
  };
  const unfollow = (id = 'lobby-1') => handlers['services.unfollowLog']({ id }, caller);
  const hangUp = (): void => {
    connection.isOpen = false;
    for (const ending of connection.endings) ending();
  };
  return { follow, unfollow, hangUp, logs };
}

describe('a connection that follows logs', () => {
  it.each([
    ['it stops following the service', 'unfollow'],
    ['it closes', 'hangUp'],
  ] as const)('has no log open if %s while the log is being opened', async (_, end) => {
    const master = aMaster();
    const { lines, node } = await master.follow();
    await master[end]();
    node?.open();
    expect(await lines).toEqual([LINE]);
    expect(master.logs.open).toBe(0);
  });

  it('keeps one log open if it follows the service again while the log is being opened', async () => {
    const master = aMaster();
    const first = await master.follow();
    const second = await master.follow();
    second.node?.open();
    await second.lines;
    first.node?.open();
    await first.lines;
    expect(master.logs.open).toBe(1);
    await master.unfollow();
    expect(master.logs.open).toBe(0);
  });

  it('follows at most 64 logs, including logs that are being opened', async () => {
    const master = aMaster();
    const asked = [];
    for (let n = 1; n <= 64; n += 1) asked.push(await master.follow(`lobby-${n}`));
    await expect((await master.follow('lobby-65')).lines).rejects.toMatchObject({ code: 'TOO_MANY' });
    asked[0]?.node?.fail();
    await expect(asked[0]?.lines).rejects.toThrow('the node does not answer');
    await master.unfollow('lobby-2');
    for (const { node } of asked.slice(1)) node?.open();
    for (const { lines } of asked.slice(1)) await lines;
    expect(master.logs.open).toBe(62);
    const more = await master.follow('lobby-65');
    more.node?.open();
    expect(await more.lines).toEqual([LINE]);
  });
});
