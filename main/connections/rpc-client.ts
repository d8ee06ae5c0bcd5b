import type { Duplex } from 'node:stream';
import { createMessageConnection, ResponseError, StreamMessageWriter } from 'vscode-jsonrpc/node';
import type { z } from 'zod';
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
import { timeLimitMs } from '#shared/rpc/time-limits.ts';
import type { Push } from '#shared/ipc/contract.ts';
import { tolerant } from '#shared/tolerant.ts';
import { MasterSkew } from './master-skew.ts';
import { ClientMessageReader } from '#shared/node/client-message-reader.ts';

/** JSON-RPC 2.0, section 5.1: the method does not exist. */
const METHOD_NOT_FOUND = -32601;

/** A validated notification of the master. */
export type MasterNotification = Push<'notification'>;

/** Client of the admin API of one master over one channel. */
export interface RpcClient {
  /**
   * Calls one method. The first call must be `master.info`, which tells the version of the master.
   *
   * @throws OverworldError the error in the response; PARAMS_INVALID before anything is sent; API_VERSION_MISMATCH;
   *   UNSUPPORTED_BY_MASTER if a master of another version does not know the method or its parameters;
   *   REQUEST_TIMEOUT; CONNECTION_LOST if the channel closes first
   */
  call<M extends MethodName>(method: M, params: Params<M>, timeoutMs?: number): Promise<Result<M>>;
  close(): void;
}

interface RpcClientOptions {
  /** Address of the master (`host:port`), for messages. */
  readonly address: string;
  onNotification(notification: MasterNotification): void;
  /** Called once, when the channel has closed (null) or carried invalid data (the error). */
  onClose(reason: Error | null): void;
}

/** Creates a client of the admin API on an open `overworld` channel. */
export function createRpcClient(channel: Duplex, options: RpcClientOptions): RpcClient {
  const lost = () => new OverworldError('CONNECTION_LOST', { address: options.address });
  const skew = new MasterSkew(options.address);
  const connection = createMessageConnection(
    new ClientMessageReader(channel),
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
  // Only known notifications are registered; the library ignores others.
  for (const name of Object.keys(notifications) as NotificationName[]) {
    connection.onNotification(name, (params: unknown) => {
      const parsed = tolerant(notifications[name]).safeParse(params);
      // The name and its own params form a pair that TypeScript cannot derive from the loop variable.
      if (parsed.success) options.onNotification({ name, params: parsed.data } as MasterNotification);
      else end(new Error(`the notification ${name} does not match its schema`));
    });
  }
  connection.listen();

  async function call<M extends MethodName>(
    method: M,
    params: Params<M>,
    timeoutMs = timeLimitMs(method),
  ): Promise<Result<M>> {
    if (ended) throw lost();
    const checked = methods[method].params.safeParse(params);
    if (!checked.success) {
      throw new OverworldError('PARAMS_INVALID', { method, why: firstIssue(checked.error) }, checked.error);
    }
    const known = skew.toSend(method, checked.data);
    const answer = await bounded(connection.sendRequest<unknown>(method, known), method, timeoutMs);
    if (method === 'master.info') skew.identify(answer);
    const result = tolerant<z.ZodType>(methods[method].result).safeParse(answer);
    if (!result.success) {
      const what = `the master's answer to ${method} does not match its schema (${firstIssue(result.error)})`;
      throw new OverworldError('INTERNAL', { what }, result.error);
    }
    // The result was parsed by the schema of this method; TypeScript cannot follow the index.
    return result.data as Result<M>;
  }

  /** Rejects when the response takes longer than the limit, or when the channel closes. */
  function bounded(answer: Promise<unknown>, method: MethodName, timeoutMs: number): Promise<unknown> {
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
        (error: unknown) => refuse(ended ? lost() : skew.toError(toCallError(error, method), method)),
      );
    });
  }

  return { call, close: () => end(null) };
}

/** Returns the first validation problem with its path. The text completes a sentence. */
export function firstIssue(error: { issues: readonly { path: PropertyKey[]; message: string }[] }): string {
  const [issue] = error.issues;
  if (issue === undefined) return 'it does not match';
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
