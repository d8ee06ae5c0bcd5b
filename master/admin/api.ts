import type { MethodName, Notification, NotificationName, Params, Result } from '#shared/rpc/contract.ts';
import type { KeyRights } from '#shared/model/access/role.ts';

/**
 * The caller of a method: one authenticated connection. The connection is either an SSH session, or the local socket,
 * which has the role owner.
 */
export interface Caller extends KeyRights {
  /** Name of the authorized key; `local` for the socket. */
  readonly name: string;
  /** Id of the SSH session. Absent for the local socket. */
  readonly session?: string;
  /** Sends a notification to this connection. Does nothing if the connection is closed. */
  notify<N extends NotificationName>(name: N, params: Notification<N>): void;
  /**
   * Registers a listener for the closing of the connection. If the connection is already closed, calls the listener
   * immediately.
   */
  onClose(listener: () => void): void;
}

/**
 * Handlers of the admin API. Parameters are parsed and the role is checked before a handler is called. Handlers may
 * throw errors.
 */
export type Handlers = {
  readonly [M in MethodName]: (params: Params<M>, caller: Caller) => Promise<Result<M>> | Result<M>;
};

/** The handlers of all methods that begin with the same noun. Each noun has one file; boot combines them. */
export type HandlersOf<Noun extends string> = {
  readonly [M in Extract<MethodName, `${Noun}.${string}`>]: Handlers[M];
};
