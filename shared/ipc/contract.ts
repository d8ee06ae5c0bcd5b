import { z } from 'zod';
import { wireErrorSchema } from '../errors/wire.ts';
import { remotePathSchema } from '../model/files.ts';
import {
  activityFilterSchema,
  methods,
  notifications,
  type MethodName,
  type NotificationName,
} from '../rpc/contract.ts';
import { windowCommands } from './screens.ts';

/** State of the app's link to its master. */
export const linkSchema = z.strictObject({
  /** Id of the connection profile it belongs to. */
  connection: z.string(),
  kind: z.enum(['embedded', 'remote']),
  name: z.string(),
  /** `host:port`; null until the embedded master has said where it listens. */
  address: z.string().nullable(),
  status: z.enum(['starting', 'connecting', 'connected', 'waiting', 'failed']),
  /** Why it is not connected. */
  error: wireErrorSchema.nullable(),
  /** When the next try begins, ms since epoch. */
  retryAt: z.int().nullable(),
  /** The master's host key, pinned: `SHA256:…`. */
  hostKey: z.string().nullable(),
  /** Counts connections made; a change means: everything shown may be old. */
  generation: z.int(),
  /** Names the running master; the same after a new connection means: its revisions go on. Null until it was asked. */
  run: z.string().nullable(),
});
export type Link = z.infer<typeof linkSchema>;

/** Id of the profile of the master that comes with the app. It cannot be removed. */
export const EMBEDDED = 'embedded';

const connectionIdSchema = z.string().min(1).max(64);
const hostSchema = z
  .string()
  .trim()
  .min(1)
  .max(253)
  .regex(/^[^\s/@]+$/);
const portSchema = z.int().min(1).max(65_535);

/** Where a master is: what a person enters. */
export const connectionDraftSchema = z.strictObject({
  name: z.string().trim().min(1).max(64),
  /** Name or address of the master's machine. */
  host: hostSchema,
  /** Port of the master's own SSH server. */
  port: portSchema,
});
export type ConnectionDraft = z.infer<typeof connectionDraftSchema>;

/** A profile of a master. */
export const connectionSchema = z.strictObject({
  id: connectionIdSchema,
  kind: z.enum(['embedded', 'remote']),
  name: z.string(),
  /** Null for the embedded master, which chooses its own. */
  host: z.string().nullable(),
  port: z.int().nullable(),
  /** Pinned host key, `SHA256:…`; null until it was trusted. */
  hostKey: z.string().nullable(),
  /** Ms since epoch; null when it never was. */
  lastConnectedAt: z.int().nullable(),
  /** The one in use. */
  active: z.boolean(),
});
export type Connection = z.infer<typeof connectionSchema>;

/** What a test of a connection found out. */
export const connectionTestSchema = z.strictObject({
  hostKey: z.string(),
  /** `unknown`: nothing is pinned. `changed`: another one is. */
  trust: z.enum(['pinned', 'unknown', 'changed']),
  /** Null when the key is not trusted yet: nothing more was asked. */
  master: z.strictObject({ version: z.string(), hostname: z.string(), role: z.string() }).nullable(),
  /** From the first packet to the answer, ms. */
  ms: z.int(),
});
export type ConnectionTest = z.infer<typeof connectionTestSchema>;

/** A folder of this computer that the Files screen may show: the home folder, its usual ones, and those a person added. */
export const placeSchema = z.strictObject({ name: z.string(), path: z.string(), added: z.boolean() });
export type LocalPlace = z.infer<typeof placeSchema>;

/** An absolute path of this computer; refused with PLACE_FORBIDDEN outside of the places. */
const localPathSchema = z.string().min(1).max(4096);

/** An entry of a folder on this computer: as on the master. */
export const localFolderSchema = z.strictObject({
  /** As given, without `.` and `..`. */
  folder: z.string(),
  /** Null at the top of a place. */
  parent: z.string().nullable(),
  entries: z.array(
    z.strictObject({
      name: z.string(),
      path: z.string(),
      kind: z.enum(['file', 'folder', 'link', 'other']),
      bytes: z.int(),
      modifiedAt: z.int(),
      mode: z.int(),
    }),
  ),
});
export type LocalFolder = z.infer<typeof localFolderSchema>;

/** A text file of the master, opened for editing. */
export const openedFileSchema = z.strictObject({
  path: z.string(),
  text: z.string(),
  /** Names this content; a save is based on it. */
  version: z.string(),
  bytes: z.int(),
  modifiedAt: z.int(),
  mode: z.int(),
});
export type OpenedFile = z.infer<typeof openedFileSchema>;

/** A file of the master that is open in a program of this computer. Saved there, it is uploaded. */
export const externalEditSchema = z.strictObject({
  path: z.string(),
  state: z.enum(['open', 'uploading', 'saved', 'conflict', 'failed']),
  /** When it was last uploaded, ms since epoch. */
  savedAt: z.int().nullable(),
  error: wireErrorSchema.nullable(),
});
export type ExternalEdit = z.infer<typeof externalEditSchema>;

const sideSchema = z.strictObject({ bytes: z.int(), modifiedAt: z.int() });

/** How one file differs between a folder here and one on the master. */
export const syncRowSchema = z.strictObject({
  /** Relative, with `/`. */
  path: z.string(),
  local: sideSchema.nullable(),
  remote: sideSchema.nullable(),
  verdict: z.enum(['same', 'local only', 'remote only', 'local newer', 'remote newer', 'different']),
});
export type SyncRow = z.infer<typeof syncRowSchema>;

export const syncComparisonSchema = z.strictObject({
  /** Begun with `sync.start`; forgotten after an hour. */
  comparison: z.string(),
  rows: z.array(syncRowSchema),
});
export type SyncComparison = z.infer<typeof syncComparisonSchema>;

/** An entry of a folder on the master. Times in ms since epoch. */
export const fileEntrySchema = z.strictObject({
  name: z.string(),
  path: z.string(),
  kind: z.enum(['file', 'folder', 'link', 'other']),
  bytes: z.int(),
  modifiedAt: z.int(),
  /** Unix permission bits, 0–0o7777. */
  mode: z.int(),
});
export type RemoteEntry = z.infer<typeof fileEntrySchema>;

/**
 * `paused`: by a person; what has arrived stays beside its destination and is gone on with. `waiting`: for the connection,
 * then it goes on by itself. `cancelling` takes back what is half there; only when that is gone is it `cancelled`.
 */
export const transferStates = [
  'queued',
  'running',
  'paused',
  'waiting',
  'cancelling',
  'done',
  'failed',
  'cancelled',
] as const;

/** One file (or folder, counted as a whole) on its way. */
export const transferSchema = z.strictObject({
  id: z.string(),
  direction: z.enum(['upload', 'download']),
  name: z.string(),
  /** Where it ends up or comes from on the master. */
  remotePath: z.string(),
  /** Where it is on this computer, for the tooltip. */
  localPath: z.string(),
  state: z.enum(transferStates),
  files: z.strictObject({ done: z.int(), total: z.int() }),
  bytes: z.strictObject({ done: z.int(), total: z.int() }),
  /** Over the last seconds; 0 while nothing moves. */
  bytesPerSecond: z.number(),
  /** Estimated from that, ms; null while it cannot be said. */
  remainingMs: z.int().nullable(),
  /** Entries that were left out: links, special files, those that were newer there. */
  skipped: z.int(),
  /** The connection profile whose master it belongs to. */
  connection: z.string(),
  startedAt: z.int().nullable(),
  endedAt: z.int().nullable(),
  error: wireErrorSchema.nullable(),
});
export type Transfer = z.infer<typeof transferSchema>;

/** What an upload or download would do, before it begins: names that exist already must be decided on. */
export const transferPlanSchema = z.strictObject({
  /** Null when the person closed the dialog: nothing to do. */
  plan: z.string().nullable(),
  files: z.int(),
  bytes: z.int(),
  /** Names in the destination folder that exist already. */
  conflicts: z.array(
    z.strictObject({
      name: z.string(),
      kind: z.enum(['file', 'folder', 'other']),
      /** What would be copied; `bytes` and `files` of a folder as a whole. */
      source: z.strictObject({ bytes: z.int(), files: z.int(), modifiedAt: z.int() }),
      /** What is there; of a folder its own time and no size. */
      target: z.strictObject({
        kind: z.enum(['file', 'folder', 'other']),
        bytes: z.int(),
        modifiedAt: z.int(),
      }),
      /** A transfer of this very file broke off: it can be gone on with. */
      resumable: z.boolean(),
    }),
  ),
});
export type TransferPlan = z.infer<typeof transferPlanSchema>;

/**
 * What becomes of a name that exists. In a folder that exists it counts for each file below: `overwrite` replaces, `newer`
 * replaces those older than the source, `skip` leaves what is there; `rename` makes a second one beside it; `resume` goes on
 * with a broken transfer, and is `overwrite` where there was none.
 */
export const conflictChoiceSchema = z.enum(['overwrite', 'newer', 'skip', 'rename', 'resume']);
export type ConflictChoice = z.infer<typeof conflictChoiceSchema>;

export const themeSchema = z.enum(['system', 'light', 'dark']);
export type Theme = z.infer<typeof themeSchema>;

/** How the app is for this person. */
export const preferencesSchema = z.strictObject({
  theme: themeSchema,
  density: z.enum(['comfortable', 'compact']),
  /** What the system tells when the window is not in front. */
  notifications: z.strictObject({ failures: z.boolean(), nodes: z.boolean(), playerLimit: z.boolean() }),
  /** Keeps running in the tray when its window is closed. */
  closeToTray: z.boolean(),
  /** Transfers at the same time. */
  parallelTransfers: z.int().min(1).max(10),
});
export type Preferences = z.infer<typeof preferencesSchema>;

interface Channel<P extends z.ZodType, R extends z.ZodType> {
  readonly params: P;
  readonly result: R;
}

function channel<P extends z.ZodType, R extends z.ZodType>(params: P, result: R): Channel<P, R> {
  return { params, result };
}

/** Names of texts that are not saved, told at once. */
export const MAX_UNSAVED = 1000;

const nothing = z.strictObject({});
const done = z.strictObject({});
const methodNames = Object.keys(methods) as [MethodName, ...MethodName[]];

/** Requests of the window to the main process. Every argument is parsed there; local paths never come from the page itself. */
export const requests = {
  'app.info': channel(
    nothing,
    z.strictObject({
      version: z.string(),
      electron: z.string(),
      chromium: z.string(),
      node: z.string(),
      platform: z.string(),
      /** True when Electron's own sandbox is off (root). */
      unsandboxed: z.boolean(),
      dataFolder: z.string(),
      /** This app's public key, one line, to authorize on a master. */
      publicKey: z.string(),
    }),
  ),
  'app.preferences': channel(nothing, preferencesSchema),
  /** Changes those that are given. */
  'app.setPreferences': channel(preferencesSchema.partial(), preferencesSchema),
  /** Puts a text on the clipboard. */
  'app.copyText': channel(z.strictObject({ text: z.string().max(1_000_000) }), done),
  /** Small values the window remembers over restarts: last place, sizes. */
  'app.memory': channel(nothing, z.record(z.string(), z.string())),
  'app.remember': channel(z.strictObject({ key: z.string().max(64), value: z.string().max(4096) }), done),
  /** All that is typed and not saved, by name ("template lobby"): main asks about it before the app ends. */
  'app.unsaved': channel(z.strictObject({ names: z.array(z.string().max(5000)).max(MAX_UNSAVED) }), done),
  'link.get': channel(nothing, linkSchema),
  'link.retry': channel(nothing, done),
  'connections.list': channel(nothing, z.array(connectionSchema)),
  /** `id` null: a new one. Another host or port forgets the pinned key. */
  'connections.save': channel(
    z.strictObject({ id: connectionIdSchema.nullable(), draft: connectionDraftSchema }),
    connectionSchema,
  ),
  /** The one in use cannot be removed, nor the embedded one. */
  'connections.remove': channel(z.strictObject({ id: connectionIdSchema }), done),
  /** Connects to it from now on, also after a restart. The embedded master runs only while it is in use, or has services. */
  'connections.use': channel(z.strictObject({ id: connectionIdSchema }), done),
  /** Connects and asks who is there, beside the connection in use. Sends nothing to a master whose key is not the pinned one. */
  'connections.test': channel(
    z.strictObject({ id: connectionIdSchema.nullable(), draft: connectionDraftSchema }),
    connectionTestSchema,
  ),
  /** A person compared the fingerprint: it is pinned, also in place of another one, and the link tries again. */
  'connections.trust': channel(
    z.strictObject({ id: connectionIdSchema, hostKey: z.string().startsWith('SHA256:') }),
    done,
  ),
  /** Saves all events that fit (see `activity.list`) where the system's dialog says. False: the person closed it. */
  'activity.export': channel(
    z.strictObject({ filter: activityFilterSchema, format: z.enum(['csv', 'jsonl']) }),
    z.strictObject({ saved: z.boolean(), events: z.int() }),
  ),
  /** Saves the kept log of a service where the system's dialog says. */
  'logs.save': channel(
    z.strictObject({ service: z.string() }),
    z.strictObject({ saved: z.boolean(), lines: z.int() }),
  ),
  /** Forwards to the master; params are checked against the method's schema in main, the result by the master's contract. */
  'rpc.call': channel(z.strictObject({ method: z.enum(methodNames), params: z.unknown() }), z.unknown()),
  'files.list': channel(z.strictObject({ folder: remotePathSchema }), z.array(fileEntrySchema)),
  'files.makeFolder': channel(z.strictObject({ path: remotePathSchema }), done),
  'files.rename': channel(z.strictObject({ from: remotePathSchema, to: remotePathSchema }), done),
  /** Folders with all that is in them. `task`: told as `files.progress` and cancelled as those of the master are. */
  'files.delete': channel(
    z.strictObject({ paths: z.array(remotePathSchema).min(1).max(10_000), task: z.uuid().optional() }),
    done,
  ),
  /** Moves into a folder; what exists there already is refused. */
  'files.move': channel(
    z.strictObject({ paths: z.array(remotePathSchema).min(1).max(10_000), folder: remotePathSchema }),
    done,
  ),
  /** Unix permission bits. `within`: also of all that is in folders (search bits only where they make sense). */
  'files.setMode': channel(
    z.strictObject({
      paths: z.array(remotePathSchema).min(1).max(10_000),
      mode: z.int().min(0).max(0o777),
      within: z.boolean(),
      task: z.uuid().optional(),
    }),
    done,
  ),
  /** Reads a text file for editing: UTF-8, at most 4 MB. FILE_TOO_LARGE, FILE_NOT_TEXT. */
  'files.open': channel(z.strictObject({ path: remotePathSchema }), openedFileSchema),
  /** Writes it back under a temporary name, then renames. FILE_CHANGED unless it still is `version`; null: whatever is there. */
  'files.save': channel(
    z.strictObject({
      path: remotePathSchema,
      text: z.string().max(4_194_304),
      version: z.string().nullable(),
    }),
    openedFileSchema,
  ),
  /** Opens it in the program that this computer has for it; saved there, it is uploaded. News come as `externalEdits`. */
  'files.openExternally': channel(z.strictObject({ path: remotePathSchema }), done),
  /** Those that are open, for a page that was loaded anew. */
  'files.externalEdits': channel(nothing, z.array(externalEditSchema)),
  /** After a conflict: uploads what is here, or forgets it. */
  'files.settleExternal': channel(
    z.strictObject({ path: remotePathSchema, keep: z.enum(['mine', 'theirs', 'close']) }),
    done,
  ),
  /** Last SFTP requests and their answers, oldest first, at most 500. */
  'files.log': channel(
    nothing,
    z.array(z.strictObject({ at: z.int(), text: z.string(), ms: z.int(), error: z.string().nullable() })),
  ),
  /**
   * Begins to drag files out to the system's file manager: they are fetched to a temporary folder first. FILE_TOO_LARGE
   * above 256 MB together.
   */
  'files.dragOut': channel(z.strictObject({ paths: z.array(remotePathSchema).min(1).max(1000) }), done),
  'local.places': channel(nothing, z.array(placeSchema)),
  /** Opens the system's dialog. Null: the person closed it. */
  'local.addPlace': channel(nothing, placeSchema.nullable()),
  'local.removePlace': channel(z.strictObject({ path: localPathSchema }), done),
  'local.list': channel(z.strictObject({ folder: localPathSchema }), localFolderSchema),
  'local.makeFolder': channel(z.strictObject({ path: localPathSchema }), done),
  'local.rename': channel(z.strictObject({ from: localPathSchema, to: localPathSchema }), done),
  /** Into the system's trash. */
  'local.trash': channel(z.strictObject({ paths: z.array(localPathSchema).min(1).max(10_000) }), done),
  /** Shows it in the system's file manager. */
  'local.reveal': channel(z.strictObject({ path: localPathSchema }), done),
  /** Compares a folder here with one on the master. `content`: by hashes instead of size and time. */
  'sync.compare': channel(
    z.strictObject({
      local: localPathSchema,
      remote: remotePathSchema,
      content: z.boolean(),
      task: z.uuid().optional(),
    }),
    syncComparisonSchema,
  ),
  /**
   * Makes one side like the other for the rows given: copies what differs, and deletes what is only on the side that is
   * written to where `deletes` is set (here: into the trash). Copies run in the transfer queue.
   */
  'sync.start': channel(
    z.strictObject({
      comparison: z.string(),
      to: z.enum(['local', 'remote']),
      paths: z.array(z.string()).min(1).max(200_000),
      deletes: z.boolean(),
    }),
    z.strictObject({ copied: z.int(), deleted: z.int() }),
  ),
  /** From a place of this computer, as by drag and drop between the panes. */
  'files.planUpload': channel(
    z.strictObject({ folder: remotePathSchema, localPaths: z.array(localPathSchema).min(1).max(10_000) }),
    transferPlanSchema,
  ),
  'files.planDownload': channel(
    z.strictObject({ paths: z.array(remotePathSchema).min(1).max(10_000), folder: localPathSchema }),
    transferPlanSchema,
  ),
  /** Opens the system's dialog; the plan is begun with `transfers.start`. */
  'files.pickUpload': channel(
    z.strictObject({ folder: remotePathSchema, what: z.enum(['files', 'folder']) }),
    transferPlanSchema,
  ),
  /** Called by the preload alone, with the real paths of dropped files. */
  'files.planDrop': channel(
    z.strictObject({ folder: remotePathSchema, localPaths: z.array(z.string().min(1)).min(1).max(10_000) }),
    transferPlanSchema,
  ),
  /** Opens the system's dialog for the destination folder. */
  'files.pickDownload': channel(
    z.strictObject({ paths: z.array(remotePathSchema).min(1).max(10_000) }),
    transferPlanSchema,
  ),
  /** Plans the upload of the bundled practice server as `server.jar`. */
  'files.planPracticeServer': channel(z.strictObject({ folder: remotePathSchema }), transferPlanSchema),
  /** `each`: choices for single names, the rest as `onConflict`. */
  'transfers.start': channel(
    z.strictObject({
      plan: z.string(),
      onConflict: conflictChoiceSchema,
      each: z.record(z.string(), conflictChoiceSchema).optional(),
    }),
    done,
  ),
  'transfers.list': channel(nothing, z.array(transferSchema)),
  /** `id` null: all. */
  'transfers.pause': channel(z.strictObject({ id: z.string().nullable() }), done),
  'transfers.resume': channel(z.strictObject({ id: z.string().nullable() }), done),
  'transfers.cancel': channel(z.strictObject({ id: z.string() }), done),
  'transfers.retry': channel(z.strictObject({ id: z.string() }), done),
  /** Forgets all that have ended. */
  'transfers.clear': channel(nothing, done),
} as const;

export type RequestName = keyof typeof requests;
export type RequestParams<R extends RequestName> = z.input<(typeof requests)[R]['params']>;
export type RequestResult<R extends RequestName> = z.output<(typeof requests)[R]['result']>;

/** What main tells the window. */
export const pushes = {
  link: linkSchema,
  transfers: z.array(transferSchema),
  connections: z.array(connectionSchema),
  preferences: preferencesSchema,
  externalEdits: z.array(externalEditSchema),
  notification: z.discriminatedUnion(
    'name',
    (Object.keys(notifications) as NotificationName[]).map((name) =>
      z.strictObject({ name: z.literal(name), params: notifications[name] }),
    ) as never,
  ) as z.ZodType<
    { [N in NotificationName]: { name: N; params: z.output<(typeof notifications)[N]> } }[NotificationName]
  >,
  /** The system asks the window to go somewhere (menu). */
  navigate: z.strictObject({ place: z.string() }),
  /** The system asks the window to do something (menu). */
  command: z.strictObject({ name: z.enum(windowCommands) }),
} as const;

export type PushName = keyof typeof pushes;
export type Push<P extends PushName> = z.output<(typeof pushes)[P]>;

/** Answer of every request: errors are data, so that code and details survive the bridge. */
export const replySchema = z.discriminatedUnion('ok', [
  z.strictObject({ ok: z.literal(true), value: z.unknown() }),
  z.strictObject({ ok: z.literal(false), error: wireErrorSchema }),
]);
export type Reply = z.infer<typeof replySchema>;

/** What the preload puts on `window.overworld`: typed request, typed subscribe, dropped files, nothing else. */
export interface Bridge {
  request<R extends Exclude<RequestName, 'files.planDrop'>>(
    name: R,
    params: RequestParams<R>,
  ): Promise<Reply>;
  /** Plans the upload of files that a person dropped on the window; a page cannot name a path itself. */
  planDrop(folder: string, files: readonly File[]): Promise<Reply>;
  subscribe<P extends PushName>(name: P, listener: (value: Push<P>) => void): () => void;
}
