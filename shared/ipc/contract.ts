import { z } from 'zod';
import { wireErrorSchema } from '../errors/wire.ts';
import { methods, notifications, type MethodName, type NotificationName } from '../rpc/contract.ts';

/** State of the app's link to its master. */
export const linkSchema = z.strictObject({
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
});
export type Link = z.infer<typeof linkSchema>;

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

/** An absolute path in the master's file area: `/templates/<id>/…` or `/files/…`. */
const remotePathSchema = z.string().min(1).max(4096).startsWith('/');

/** `cancelling` takes back what is half there; only when that is gone is it `cancelled`. */
export const transferStates = ['queued', 'running', 'cancelling', 'done', 'failed', 'cancelled'] as const;

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
  conflicts: z.array(z.string()),
});
export type TransferPlan = z.infer<typeof transferPlanSchema>;

export const conflictChoiceSchema = z.enum(['overwrite', 'skip', 'rename']);
export type ConflictChoice = z.infer<typeof conflictChoiceSchema>;

export const themeSchema = z.enum(['system', 'light', 'dark']);
export type Theme = z.infer<typeof themeSchema>;

interface Channel<P extends z.ZodType, R extends z.ZodType> {
  readonly params: P;
  readonly result: R;
}

function channel<P extends z.ZodType, R extends z.ZodType>(params: P, result: R): Channel<P, R> {
  return { params, result };
}

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
  'app.theme': channel(nothing, themeSchema),
  'app.setTheme': channel(z.strictObject({ theme: themeSchema }), done),
  /** Small values the window remembers over restarts: last place, sizes. */
  'app.memory': channel(nothing, z.record(z.string(), z.string())),
  'app.remember': channel(z.strictObject({ key: z.string().max(64), value: z.string().max(4096) }), done),
  'link.get': channel(nothing, linkSchema),
  'link.retry': channel(nothing, done),
  /** Forwards to the master; params are checked against the method's schema in main, the result by the master's contract. */
  'rpc.call': channel(z.strictObject({ method: z.enum(methodNames), params: z.unknown() }), z.unknown()),
  'files.list': channel(z.strictObject({ folder: remotePathSchema }), z.array(fileEntrySchema)),
  'files.makeFolder': channel(z.strictObject({ path: remotePathSchema }), done),
  'files.rename': channel(z.strictObject({ from: remotePathSchema, to: remotePathSchema }), done),
  /** Folders with all that is in them. */
  'files.delete': channel(z.strictObject({ paths: z.array(remotePathSchema).min(1).max(10_000) }), done),
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
  'transfers.start': channel(z.strictObject({ plan: z.string(), onConflict: conflictChoiceSchema }), done),
  'transfers.list': channel(nothing, z.array(transferSchema)),
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
} as const;

export type PushName = keyof typeof pushes;
export type Push<P extends PushName> = z.output<(typeof pushes)[P]>;

/** Answer of every request: errors are data, so that code and details survive the bridge. */
export const replySchema = z.discriminatedUnion('ok', [
  z.strictObject({ ok: z.literal(true), value: z.unknown() }),
  z.strictObject({ ok: z.literal(false), error: wireErrorSchema }),
]);
export type Reply = z.infer<typeof replySchema>;

/** IPC channel that carries all requests, and the one that carries all pushes. */
export const REQUEST_CHANNEL = 'overworld:request';
export const PUSH_CHANNEL = 'overworld:push';

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
