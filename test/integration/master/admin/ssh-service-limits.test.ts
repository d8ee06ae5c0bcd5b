import ssh2, { type Client } from 'ssh2';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { notFound } from '#master/files/sftp/protocol/refusal.ts';
import { field, openRawSftp } from '#test/support/files/raw-sftp.ts';
import {
  connect,
  makePerson,
  openRpc,
  startAdminMaster,
  type AdminMaster,
  type Person,
} from '#test/support/master/admin-master.ts';

/** Type of an SFTP request, and the status for a path that does not exist. */
const [STAT, NO_SUCH_FILE] = [17, 2];

let master: AdminMaster;
let owner: Person;
const asked: number[] = [];
beforeAll(async () => {
  const unused = (): never => {
    throw new Error('not used');
  };
  const view = {
    ...{ list: unused, open: unused },
    stat: async (names: readonly string[]): Promise<never> => {
      asked.push(names.length);
      await new Promise((resolve) => setImmediate(resolve));
      throw notFound();
    },
  };
  master = await startAdminMaster({
    inService: true,
    ssh: { views: () => ({ services: view, volumes: view }) },
  });
  owner = await master.authorize('owner');
});
afterAll(() => master.close());

async function logIn(): Promise<Client> {
  const client = await connect(master, owner);
  onTestFinished(() => void client.end());
  return client;
}

interface Offer {
  readonly algorithm: string;
  /** Length of the key (bytes). */
  readonly bytes: number;
  /** Whether the client also sends a signature. In this case, the master gets the key twice. */
  readonly signs: boolean;
}

it.each([
  { what: 'an unknown algorithm with a long name', algorithm: 'x'.repeat(300), bytes: 100, signs: false },
  { what: 'a key of 34 KB', algorithm: 'ssh-ed25519', bytes: 34_000, signs: false },
  { what: 'a key of 28 KB with a signature', algorithm: 'ssh-ed25519', bytes: 28_000, signs: true },
])('the SSH service keeps all sessions when an unknown client offers $what', async (offered) => {
  const client = await logIn();
  const rpc = await openRpc(client);
  const stranger = new ssh2.Client();
  stranger.on('error', () => undefined);
  onTestFinished(() => void stranger.destroy());
  const left = new Promise<void>((resolve) => stranger.once('close', () => resolve()));
  let offers = 0;
  stranger.connect({
    ...{ host: master.server.host, port: master.server.port, username: 'x' },
    authHandler: (_left, _partial, next) => {
      offers += 1;
      // The library calls this function again if the master refuses the first offer.
      if (offers > 1) {
        stranger.end();
        return;
      }
      offer(stranger, offered);
      next({ type: 'publickey', username: 'x', key: makePerson('eve').privateKey });
    },
  });
  await left;
  expect(offers).toBe(2);
  expect(await rpc.sendRequest('sessions.list', {})).toMatchObject([{ own: true }]);
});

it('the SSH service keeps all sessions while clients send the longest path and as many requests as possible', async () => {
  const rpc = await openRpc(await logIn());
  const clients = await Promise.all(Array.from({ length: 3 }, () => logIn()));
  const channels = await Promise.all(
    clients.flatMap((client) => Array.from({ length: 10 }, () => openRawSftp(client))),
  );
  const longest = `volumes/${'a/'.repeat(2_044)}`;
  const answers = channels.flatMap((sftp, channel) =>
    Array.from({ length: 64 }, (_, at) => sftp.ask(STAT, field(channel + at === 0 ? longest : '/volumes/a'))),
  );
  expect(new Set((await Promise.all(answers)).map(({ status }) => status))).toEqual(new Set([NO_SUCH_FILE]));
  expect(asked).toContain(2_044);
  expect(await rpc.sendRequest('sessions.list', {})).toHaveLength(4);
});

/** Offers a key that the library itself would not send, with an internal function of the library. */
function offer(client: Client, { algorithm, bytes, signs }: Offer): void {
  const key = ssh2.utils.parseKey(makePerson('eve').privateKey);
  if (key instanceof Error) throw key;
  const fake = Object.create(key, { getPublicSSH: { value: () => Buffer.alloc(bytes) } }) as ssh2.ParsedKey;
  // The types of the library do not contain this function.
  const { _protocol: protocol } = client as unknown as {
    _protocol: {
      authPK(
        user: string,
        key: ssh2.ParsedKey,
        algorithm: string,
        sign?: (data: Buffer, done: (signature: Buffer) => void) => void,
      ): void;
    };
  };
  if (signs) protocol.authPK('x', fake, algorithm, (data, done) => done(key.sign(data)));
  else protocol.authPK('x', fake, algorithm);
}
