import type { MethodName, Notification, NotificationName, Params, Result } from '#shared/rpc/contract.ts';
import type { Role } from '#shared/model/role.ts';

/** Who calls: one authenticated connection (an SSH session, or the local socket as owner). */
export interface Caller {
  /** Name of the authorized key; `local` for the socket. */
  readonly name: string;
  readonly role: Role;
  /** Sends a notification to this connection alone; dropped silently when it has ended. */
  notify<N extends NotificationName>(name: N, params: Notification<N>): void;
  /** Runs when the connection ends, at once if it has. */
  onClose(listener: () => void): void;
}

/** What answers the admin API. Params are already parsed, the role already checked; errors are thrown. */
export type Handlers = {
  readonly [M in MethodName]: (params: Params<M>, caller: Caller) => Promise<Result<M>> | Result<M>;
};

/** A subset of the handlers: one file per noun, put together in the composition root. */
export type HandlersOf<Noun extends string> = {
  readonly [M in Extract<MethodName, `${Noun}.${string}`>]: Handlers[M];
};
