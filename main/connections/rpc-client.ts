import type { Duplex } from 'node:stream';
import { createMessageConnection, ResponseError, StreamMessageWriter } from 'vscode-jsonrpc/node';
import { OverworldError } from '#shared/errors/overworld-error.ts';
import { fromWire } from '#shared/errors/wire.ts';
import {
  methods,
  notifications,
  type MethodName,
  type NotificationName,
  type Params,
  type Result,
} from '#shared/rpc/contract.ts';
import type { Push } from '#shared/ipc/contract.ts';
import { BoundedMessageReader } from './message-reader.ts';

/** Time for one answer unless the caller says otherwise. */
export const REQUEST_TIMEOUT_MS = 30_000;

/**
 * What goes through many files takes as long as the disk needs, and goes on there when nobody waits any more: told to have
 * failed, a person would begin it a second time. People can cancel most of it; a broken connection ends all waiting.
 */
const LONG_TIMEOUT_MS = 60 * 60_000;
const LONG_METHODS: ReadonlySet<MethodName> = new Set<MethodName>([
  ...(['files.copy', 'files.search', 'files.manifest'] as const),
  ...(['templates.duplicate', 'templates.restoreRevision', 'templates.delete'] as const),
]);

/** JSON-RPC 2.0, 5.1: the method does not exist. */
const METHOD_NOT_FOUND = -32601;

/** A notification of the master, checked. */
export type MasterNotification = Push<'notification'>;

/** The admin API of one master over one channel. */
export interface RpcClient {
  /**
   * Calls one method.
   *
   * @throws OverworldError what the master answered; PARAMS_INVALID before anything is sent; REQUEST_TIMEOUT;
   *   CONNECTION_LOST when the channel ended first
   */
  call<M extends MethodName>(method: M, params: Params<M>, timeoutMs?: number): Promise<Result<M>>;
  close(): void;
}

interface RpcClientOptions {
  /** For messages: who is at the other end. */
  readonly address: string;
  onNotification(notification: MasterNotification): void;
  /** Once, when the channel has ended or what came over it made no sense. */
  onClose(reason: Error | null): void;
}

/** Speaks the admin API over an open `overworld` channel. */
export function createRpcClient(channel: Duplex, options: RpcClientOptions): RpcClient {
  const lost = () => new OverworldError('CONNECTION_LOST', { address: options.address });
  const connection = createMessageConnection(
    new BoundedMessageReader(channel),
    new StreamMessageWriter(channel),
  );
  const waiting = new Set<(error: Error) => void>();
  let ended = false;
  const end = (reason: Error | null) => {
    if (ended) return;
    ended = true;
    connection.dispose();
    channel.destroy();
    for (const refuse of waiting) refuse(lost());
    waiting.clear();
    options.onClose(reason);
  };
  connection.onError(([error]) => end(error));
  connection.onClose(() => end(null));
  // Two masters' worth of names would be a mistake of ours: each known one is registered, others are ignored.
  for (const name of Object.keys(notifications) as NotificationName[]) {
    connection.onNotification(name, (params: unknown) => {
      const parsed = notifications[name].safeParse(params);
      // A pair of name and its own params: zod's result cannot be told apart by the loop variable.
      if (parsed.success) options.onNotification({ name, params: parsed.data } as MasterNotification);
      else end(new Error(`the notification ${name} does not fit its schema`));
    });
  }
  connection.listen();

  async function call<M extends MethodName>(
    method: M,
    params: Params<M>,
    timeoutMs = LONG_METHODS.has(method) ? LONG_TIMEOUT_MS : REQUEST_TIMEOUT_MS,
  ): Promise<Result<M>> {
    if (ended) throw lost();
    const checked = methods[method].params.safeParse(params);
    if (!checked.success) {
      throw new OverworldError('PARAMS_INVALID', { method, why: whyOf(checked.error) }, checked.error);
    }
    const answer = await bounded(connection.sendRequest<unknown>(method, checked.data), method, timeoutMs);
    const result = methods[method].result.safeParse(answer);
    if (!result.success) {
      const what = `the master's answer to ${method} does not fit its schema (${whyOf(result.error)})`;
      throw new OverworldError('INTERNAL', { what }, result.error);
    }
    // Parsed by this very method's schema; TypeScript cannot follow the index.
    return result.data as Result<M>;
  }

  /** Limits the wait for one answer, and ends it when the channel ends. */
  function bounded(answer: Promise<unknown>, method: string, timeoutMs: number): Promise<unknown> {
    return new Promise((resolve, reject) => {
      const settle = (finish: () => void) => {
        clearTimeout(timer);
        waiting.delete(refuse);
        finish();
      };
      const refuse = (error: Error) => settle(() => reject(error));
      const timer = setTimeout(() => {
        refuse(new OverworldError('REQUEST_TIMEOUT', { method, afterMs: timeoutMs }));
      }, timeoutMs);
      waiting.add(refuse);
      answer.then(
        (value) => settle(() => resolve(value)),
        (error: unknown) => refuse(ended ? lost() : toCallError(error, method)),
      );
    });
  }

  return { call, close: () => end(null) };
}

/** The first thing that is wrong, with its path, as the end of a sentence. */
export function whyOf(error: { issues: readonly { path: PropertyKey[]; message: string }[] }): string {
  const [issue] = error.issues;
  if (issue === undefined) return 'it does not fit';
  const path = issue.path.map(String).join('.');
  return path === '' ? issue.message : `${path}: ${issue.message}`;
}

function toCallError(error: unknown, method: string): OverworldError {
  if (error instanceof ResponseError) {
    if (error.data !== undefined && error.data !== null) return fromWire(error.data);
    if (error.code === METHOD_NOT_FOUND) return new OverworldError('METHOD_UNKNOWN', { method }, error);
  }
  const what = `${method}: ${error instanceof Error ? error.message : String(error)}`;
  return new OverworldError('INTERNAL', { what }, error);
}
