import { expect, it } from 'vitest';
import { masterHandlers } from '#master/admin/ssh-service/master-side/master-handlers.ts';
import { RemoteFileJobs } from '#master/admin/ssh-service/master-side/remote-jobs.ts';
import { ServedSessions } from '#master/admin/ssh-service/master-side/served-sessions.ts';
import { UsedProofs } from '#master/admin/ssh-service/master-side/used-proofs.ts';
import type { OfferAnswer } from '#master/admin/ssh/ssh-backend.ts';

const unused = (): never => {
  throw new Error('not used');
};

const accepted: OfferAnswer = {
  kind: 'accepted',
  session: {
    id: 's1',
    key: { name: 'anna', fingerprint: 'SHA256:anna', role: 'owner', templates: null, addedAt: 0 },
    views: undefined,
    ...{ serveApi: unused, onFileEvent: unused, openChannel: unused, close: unused },
  },
};

/** Creates the master's handlers. The test decides when the backend answers a login. */
function setUp() {
  const waiting: ((answer: OfferAnswer) => void)[] = [];
  const handlers = masterHandlers({
    backend: {
      login: () => new Promise<OfferAnswer>((resolve) => waiting.push(resolve)),
      ...{ refused: unused, viewersRead: unused },
    },
    ...{ sessions: new ServedSessions(), proofs: new UsedProofs() },
    ...{ jobs: new RemoteFileJobs(unused), service: unused, onStuck: unused },
  });
  const logIn = async () =>
    handlers.login({
      ...{ address: '192.0.2.1', software: 'test', algorithm: 'ssh-ed25519', key: '' },
      proof: { signature: '', signed: Buffer.from('a login').toString('base64') },
    });
  return { logIn, waiting };
}

it('the master accepts a login proof only once, even if a second copy arrives before the first is checked', async () => {
  const { logIn, waiting } = setUp();
  const logins = [logIn(), logIn()];
  for (const answer of waiting) answer(accepted);
  expect(await Promise.all(logins)).toMatchObject([{ kind: 'accepted' }, { kind: 'refused' }]);
  expect(waiting).toHaveLength(1);
});

it('the master accepts a login proof that was part of an earlier, refused login', async () => {
  const { logIn, waiting } = setUp();
  const first = logIn();
  waiting[0]?.({ kind: 'refused' });
  expect(await first).toEqual({ kind: 'refused' });
  const second = logIn();
  waiting[1]?.(accepted);
  expect(await second).toMatchObject({ kind: 'accepted' });
});
