import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import pino from 'pino';
import type { Client } from 'ssh2';
import { onTestFinished, vi } from 'vitest';
import { OverworldError } from '#shared/errors/overworld-error.ts';
import { transferSchema, type ConflictChoice, type Transfer } from '#shared/ipc/contract.ts';
import { openSsh } from '#main/connections/ssh.ts';
import type { Sources } from '#main/transfers/operations/move-source.ts';
import { Plans, toSources } from '#main/transfers/queue/plans.ts';
import { RemoteFiles } from '#main/transfers/remote/remote-files.ts';
import { RemoteSession } from '#main/transfers/remote/remote-session.ts';
import { TransferJournal } from '#main/transfers/queue/transfer-journal.ts';
import { Transfers } from '#main/transfers/queue/transfers.ts';
import { startAdminMaster } from '../master/admin-master.ts';
import { startByteRelay } from '../byte-relay.ts';
import { toIdentity } from '../identity.ts';
import { smallDisk } from './small-disk.ts';
import { temporaryFolder } from '../temporary-folder.ts';
import { waitFor } from '../wait-for.ts';

const log = pino({ level: 'silent' });
const NEVER = new AbortController().signal;

/**
 * Name of the app's computer. All apps of a fixture have the same name, because a restarted app is the same
 * installation.
 */
const ORIGIN = 'this computer';

/**
 * Creates a real master with the template `lobby`, and the app's transfer queue with a local folder. A relay between
 * app and master counts bytes and can cut the connection.
 */
export async function openTransferFixture(
  options: NonNullable<Parameters<typeof startAdminMaster>[0]> & {
    /** Size of a separate file system for the template's folder (MB). Without it, the folder is on the normal disk. */ readonly diskMb?: number;
  } = {},
) {
  const master = await startAdminMaster(options);
  onTestFinished(() => master.close());
  const remote = join(master.data, 'templates', 'lobby');
  await mkdir(remote, { recursive: true });
  if (options.diskMb !== undefined) smallDisk(options.diskMb, remote);
  const relay = await startByteRelay({ host: master.server.host, port: master.server.port });
  onTestFinished(() => relay.close());
  const person = await master.authorize('operator');
  const identity = toIdentity(person);
  const link: { client: Client | null; connection: string } = { client: null, connection: 'home' };
  onTestFinished(() => void link.client?.destroy());
  const session = new RemoteSession({
    ssh: () => {
      if (link.client === null) throw new OverworldError('NOT_CONNECTED', { status: 'waiting' });
      return link.client;
    },
    connection: () => (link.client === null ? null : link.connection),
    log,
  });
  const journalFolder = temporaryFolder();
  /** Names of the connection profiles in the app. */
  const profiles = new Set(['home', 'away']);
  let app: { transfers: Transfers; journal: TransferJournal; pushes: Transfer[][] } | null = null;

  /** The local trash: the moved paths, oldest first, and a folder that contains the moved entries. */
  const trash = { folder: temporaryFolder(), paths: [] as string[] };
  const sources: { -readonly [K in keyof Sources]: Sources[K] } = {
    trash: async (path) => {
      await rename(path, join(trash.folder, `${trash.paths.length} ${basename(path)}`));
      trash.paths.push(path);
    },
    hashesOf: () => Promise.resolve(null),
  };

  const fixture = {
    ...{ trash, sources },
    ...{ master, remote, relay, session, person, journalFolder },
    local: temporaryFolder(),
    plans: new Plans({ origin: ORIGIN }),
    get transfers(): Transfers {
      if (app === null) throw new Error('the app is not open');
      return app.transfers;
    },
    get pushes(): Transfer[][] {
      return app?.pushes ?? [];
    },
    /** Connects the app through the relay. `connection` is the name of the connection profile. */
    async connect(connection = 'home'): Promise<void> {
      const target = { host: '127.0.0.1', port: relay.port, pin: master.hostKey.fingerprint };
      const { client } = await openSsh(target, identity, NEVER);
      Object.assign(link, { client, connection });
      client.once('close', () => {
        if (link.client !== client) return;
        link.client = null;
        app?.transfers.connectionChanged();
      });
      app?.transfers.connectionChanged();
    },
    get isConnected(): boolean {
      return link.client !== null;
    },
    /** Removes a connection profile, as a person does. */
    removeConnection(connection: string): void {
      profiles.delete(connection);
      app?.transfers.connectionChanged();
    },
    /** Cuts the connection between app and master. */
    async cut(): Promise<void> {
      relay.cut();
      await waitFor(() => link.client === null, { what: 'the connection to be lost' });
    },
    /** Opens the app's transfer queue with the journal of the previous app. */
    async openApp(limit = 3): Promise<void> {
      const journal = new TransferJournal(journalFolder, log);
      const pushes: Transfer[][] = [];
      const transfers = await Transfers.open({
        ...{ session, plans: fixture.plans, journal, sources, log, limit },
        origin: ORIGIN,
        connections: () => profiles,
        onChange: (list) => pushes.push(list),
      });
      app = { transfers, journal, pushes };
    },
    /** Simulates a crash of the app. The next app starts with the current journal. */
    async crash(): Promise<void> {
      // Hold the transfers, so that they do not finish while the journal is written.
      relay.hold();
      await app?.journal.flush();
      const written = await readFile(join(journalFolder, 'queue.json'));
      const { transfers } = fixture;
      app = null;
      if (link.client !== null) await fixture.cut();
      // Stop the crashed app, so that it does not run beside the next app. While it stops, it writes the journal
      // again. So the code below restores the journal.
      await transfers.close();
      await writeFile(join(journalFolder, 'queue.json'), written);
    },
    async upload(
      paths: readonly string[],
      rest: ConflictChoice = 'overwrite',
      each: Record<string, ConflictChoice> = {},
    ): Promise<void> {
      const to = { folder: '/templates/lobby' };
      const plan = await fixture.plans.planUpload(await session.files(), to, toSources(paths));
      await fixture.transfers.start(plan.plan ?? '', { rest, each });
    },
    async download(paths: readonly string[], rest: ConflictChoice = 'overwrite'): Promise<void> {
      const plan = await fixture.plans.planDownload(await session.files(), paths, { folder: fixture.local });
      await fixture.transfers.start(plan.plan ?? '', { rest, each: {} });
    },
    /** Moves entries from this computer to the template. */
    async moveThere(paths: readonly string[], rest: ConflictChoice = 'overwrite'): Promise<void> {
      const to = { folder: '/templates/lobby', move: true };
      const plan = await fixture.plans.planUpload(await session.files(), to, toSources(paths));
      await fixture.transfers.start(plan.plan ?? '', { rest, each: {} });
    },
    /** Moves entries from the master to this computer. */
    async moveHere(paths: readonly string[], rest: ConflictChoice = 'overwrite'): Promise<void> {
      const to = { folder: fixture.local, move: true };
      const plan = await fixture.plans.planDownload(await session.files(), paths, to);
      await fixture.transfers.start(plan.plan ?? '', { rest, each: {} });
    },
    /** Starts uploads, and pauses them at the first small file, before anything of the file is sent. */
    async pauseAtFirstFile(start: () => Promise<unknown>): Promise<void> {
      const spy = vi.spyOn(RemoteFiles.prototype, 'putWhole').mockImplementationOnce(() => {
        fixture.transfers.pause(null);
        return Promise.resolve(false);
      });
      await start();
      await fixture.state('paused');
      spy.mockRestore();
    },
    /** Waits until the first transfer has this state. */
    state: (state: Transfer['state']) =>
      waitFor(() => fixture.transfers.list().find((transfer) => transfer.state === state), {
        what: `a transfer to be ${state}`,
      }),
    /** Waits until the first transfer has transferred this number of bytes and is still running. */
    moved: (bytes: number) =>
      waitFor(() => fixture.transfers.list().find(({ bytes: { done } }) => done >= bytes), {
        what: `${bytes} bytes to be moved`,
      }),
    /** Waits until all transfers have ended, and returns them. */
    async ended(): Promise<Transfer[]> {
      const all = () => fixture.transfers.list();
      await waitFor(() => all().every(({ endedAt }) => endedAt !== null), { what: 'all to end' });
      return all().map((transfer) => transferSchema.parse(transfer));
    },
  };
  await fixture.connect();
  await fixture.openApp();
  onTestFinished(() => app?.transfers.close());
  return fixture;
}
