import { randomUUID } from 'node:crypto';
import { homedir, hostname } from 'node:os';
import { join } from 'node:path';
import { shell } from 'electron';
import { EMBEDDED } from '#shared/ipc/contract.ts';
import type { MasterLink } from '../connections/link.ts';
import { ExternalEdits } from '../edit/external-edits.ts';
import { LocalPlaces } from '../local/places.ts';
import { closedHere, downloadsFolder, usualPlaces } from '../local/usual-places.ts';
import { WriteConsent } from '../local/write-consent.ts';
import type { Log } from '../environment/log.ts';
import type { PushToWindow } from '../window/push.ts';
import { DragOut } from '../transfers/operations/drag-out.ts';
import { FileTasks } from '../transfers/operations/file-tasks.ts';
import { Plans } from '../transfers/queue/plans.ts';
import { RemoteSession } from '../transfers/remote/remote-session.ts';
import { TransferJournal } from '../transfers/queue/transfer-journal.ts';
import { Transfers } from '../transfers/queue/transfers.ts';
import { toHashesOf, type AskManifest } from '../sync/sides.ts';
import { Syncs } from '../sync/syncs.ts';
import type { Ask } from '../window/ask.ts';
import type { SettingsFile } from '../vault/settings.ts';

/**
 * Time limit for a list of files with their hashes (ms). The master reads every file to compute its hash, and a world
 * may have many gigabytes.
 */
const MANIFEST_TIMEOUT_MS = 30 * 60_000;

/** The parts of the main process that serve the Files screen. */
export interface FileServices {
  /** SFTP on the SSH connection of the link. */
  readonly session: RemoteSession;
  readonly plans: Plans;
  readonly transfers: Transfers;
  readonly places: LocalPlaces;
  /** Asks the person before the window writes to folders that are not allowed yet. */
  readonly consent: WriteConsent;
  readonly externalEdits: ExternalEdits;
  readonly syncs: Syncs;
  readonly dragOut: DragOut;
  /** Long operations with their progress. */
  readonly tasks: FileTasks;
}

interface FileServicesOptions {
  readonly link: MasterLink;
  readonly settings: SettingsFile;
  readonly dataFolder: string;
  readonly push: PushToWindow;
  readonly ask: Ask;
  readonly log: Log;
}

/** Creates the parts that serve the Files screen and restores the transfer queue. */
export async function openFileServices(options: FileServicesOptions): Promise<FileServices> {
  const { link, settings, dataFolder, push, ask, log } = options;
  const session = new RemoteSession({
    ssh: () => link.ssh,
    connection: () => (link.link.status === 'connected' ? link.link.connection : null),
    log,
  });
  // Identifies computer, user and installation, so that partial uploads of two people on one master never have the
  // same name.
  const origin = `${hostname()}:${dataFolder}`;
  const plans = new Plans({ origin });
  const askManifest: AskManifest = (folder, { hashes, task = randomUUID() }) =>
    link.call('files.manifest', { folder, hashes, task }, MANIFEST_TIMEOUT_MS);
  const trash = (path: string) => shell.trashItem(path);
  const transfers = await Transfers.open({
    session,
    plans,
    origin,
    log,
    sources: { trash, hashesOf: toHashesOf(askManifest) },
    journal: new TransferJournal(join(dataFolder, 'transfers'), log),
    limit: settings.data.parallelTransfers,
    connections: () => new Set([EMBEDDED, ...settings.data.connections.map(({ id }) => id)]),
    onChange: (list) => push('transfers', list),
  });
  const places = new LocalPlaces({
    usual: usualPlaces(),
    closed: [dataFolder, ...closedHere()],
    added: () => settings.data.places,
    saveAdded: (paths) => settings.update({ places: paths }),
  });
  const externalEdits = new ExternalEdits({
    session,
    log,
    platform: process.platform,
    openPath: (path) => shell.openPath(path),
    onChange: (edits) => push('externalEdits', edits),
  });
  const consent = new WriteConsent({
    ask,
    home: homedir(),
    free: () => [...downloadsFolder(), ...settings.data.places],
    places: async () => (await places.list()).map(({ path }) => path),
  });
  const syncs = new Syncs({
    session,
    transfers,
    askManifest,
    trash,
    mayWrite: (folder, names) => consent.mayFill({ folder, names }),
  });
  const tasks = new FileTasks((params) => push('notification', { name: 'files.progress', params }));
  return { session, plans, transfers, places, consent, externalEdits, syncs, dragOut: new DragOut(), tasks };
}

/** Handles a change of the link: it connected, disconnected, or belongs to another master. */
export function connectionChanged({ transfers, externalEdits }: FileServices): void {
  transfers.connectionChanged();
  externalEdits.connectionChanged();
}

/**
 * Pauses the transfers of a connection and removes its plans and comparisons. Called when the connection may lead to
 * a different master than before.
 */
export function pauseConnection({ transfers, plans, syncs }: FileServices, connection: string): void {
  transfers.pauseAllOf(connection);
  plans.forget(connection);
  syncs.forget(connection);
}

/**
 * Closes the parts when the app quits: transfers stop and can be resumed; temporary copies for other programs are
 * deleted.
 */
export async function closeFileServices({ transfers, externalEdits, dragOut }: FileServices): Promise<void> {
  await Promise.all([transfers.close(), externalEdits.close(), dragOut.close()]);
}
