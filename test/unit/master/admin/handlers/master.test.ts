import { expect, it, onTestFinished, vi } from 'vitest';
import type { Caller } from '#master/admin/api.ts';
import { masterHandlers } from '#master/admin/handlers/master.ts';

const unused = (): never => {
  throw new Error('not used');
};

it('master.info contains the time of the master, so that the app can compare the clocks', async () => {
  vi.useFakeTimers({ toFake: ['Date'], now: 1_700_000_000_000 });
  onTestFinished(() => void vi.useRealTimers());
  const handlers = masterHandlers({
    ...{ version: '1.0.0', cluster: 'c-1', startedAt: 1, hostKey: 'SHA256:x', refusesToken: false },
    ...{ javaVersion: () => Promise.resolve(null), viewersRead: () => true },
    ...{ readiness: unused, isSshReady: unused, shutDown: unused },
  });
  const caller: Caller = {
    ...{ name: 'anna', role: 'viewer', templates: null, session: 's1' },
    ...{ notify: unused, onClose: unused },
  };
  expect(await handlers['master.info']({}, caller)).toMatchObject({ startedAt: 1, now: 1_700_000_000_000 });
});
