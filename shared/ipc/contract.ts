import { z } from 'zod';
import { wireErrorSchema } from '../errors/wire.ts';
import { methods, notifications, type MethodName, type NotificationName } from '../rpc/contract.ts';
import { appRequests, preferencesSchema } from './app.ts';
import { channel } from './channel.ts';
import { connectionRequests, connectionSchema } from './connections.ts';
import { editRequests, externalEditSchema } from './edits.ts';
import { fileRequests } from './files.ts';
import { installJobSchema, installRequests } from './install.ts';
import { linkRequests, linkSchema } from './link.ts';
import { localRequests } from './local.ts';
import { planRequests } from './plans.ts';
import { savingRequests } from './saving.ts';
import { windowCommands } from './screens.ts';
import { syncRequests } from './sync.ts';
import { transferRequests, transferSchema } from './transfers.ts';

// The files are split by subject. Both sides of the bridge import all names from this file.
export * from './app.ts';
export * from './connections.ts';
export * from './edits.ts';
export * from './files.ts';
export * from './install.ts';
export * from './link.ts';
export * from './local.ts';
export * from './plans.ts';
export * from './sync.ts';
export * from './transfers.ts';

const methodNames = Object.keys(methods) as [MethodName, ...MethodName[]];

/**
 * Requests of the window to the main process. The main process parses every argument. It accepts a local path from
 * the page only if the path is in one of the places (see `placeSchema`).
 */
export const requests = {
  ...appRequests,
  ...linkRequests,
  ...connectionRequests,
  ...installRequests,
  ...savingRequests,
  /**
   * Forwards a call to the master. The main process checks the parameters against the method's schema, and the result
   * against the master's contract.
   */
  'rpc.call': channel(z.strictObject({ method: z.enum(methodNames), params: z.unknown() }), z.unknown()),
  ...fileRequests,
  ...editRequests,
  ...localRequests,
  ...syncRequests,
  ...planRequests,
  ...transferRequests,
} as const;

export type RequestName = keyof typeof requests;
export type RequestParams<R extends RequestName> = z.input<(typeof requests)[R]['params']>;
export type RequestResult<R extends RequestName> = z.output<(typeof requests)[R]['result']>;

/** Messages that the main process pushes to the window. */
export const pushes = {
  link: linkSchema,
  transfers: z.array(transferSchema),
  connections: z.array(connectionSchema),
  install: installJobSchema.nullable(),
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
  /** Asks the window to open a route, after a click in the native menu or on a system notification. */
  navigate: z.strictObject({ route: z.string() }),
  /** Whether the window is on the screen: not hidden in the tray, and not minimized. Pushed at each change. */
  visible: z.boolean(),
  /** Asks the window to run a command, after a click in the native menu. */
  command: z.strictObject({ name: z.enum(windowCommands) }),
} as const;

export type PushName = keyof typeof pushes;
export type Push<P extends PushName> = z.output<(typeof pushes)[P]>;

/** Response to every request. Errors are sent as data, so that code and details survive the bridge. */
export const replySchema = z.discriminatedUnion('ok', [
  z.strictObject({ ok: z.literal(true), value: z.unknown() }),
  z.strictObject({ ok: z.literal(false), error: wireErrorSchema }),
]);
export type Reply = z.infer<typeof replySchema>;

/** The API that the preload script exposes as `window.overworld`. */
export interface Bridge {
  request<R extends Exclude<RequestName, 'files.planDrop'>>(
    name: R,
    params: RequestParams<R>,
  ): Promise<Reply>;
  /**
   * Plans the upload of files that a person dropped on the window. The preload script looks up their paths, which the
   * page cannot read.
   */
  planDrop(folder: string, files: readonly File[]): Promise<Reply>;
  subscribe<P extends PushName>(name: P, listener: (value: Push<P>) => void): () => void;
}
