import { z } from 'zod';
import { wireErrorSchema } from '../errors/wire.ts';
import { methods, notifications, type MethodName, type NotificationName } from '../rpc/contract.ts';
import { appRequests, preferencesSchema } from './app.ts';
import { channel } from './channel.ts';
import { connectionRequests, connectionSchema } from './connections.ts';
import { editRequests, externalEditSchema } from './edits.ts';
import { fileRequests } from './files.ts';
import { linkRequests, linkSchema } from './link.ts';
import { localRequests } from './local.ts';
import { planRequests } from './plans.ts';
import { savingRequests } from './saving.ts';
import { windowCommands } from './screens.ts';
import { syncRequests } from './sync.ts';
import { transferRequests, transferSchema } from './transfers.ts';

// One file per noun; who speaks across the bridge imports all words from here.
export * from './app.ts';
export * from './connections.ts';
export * from './edits.ts';
export * from './files.ts';
export * from './link.ts';
export * from './local.ts';
export * from './plans.ts';
export * from './sync.ts';
export * from './transfers.ts';

const methodNames = Object.keys(methods) as [MethodName, ...MethodName[]];

/** Requests of the window to the main process. Every argument is parsed there; local paths never come from the page itself. */
export const requests = {
  ...appRequests,
  ...linkRequests,
  ...connectionRequests,
  ...savingRequests,
  /** Forwards to the master; params are checked against the method's schema in main, the result by the master's contract. */
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
