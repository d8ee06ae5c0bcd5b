import { toWire } from '#shared/errors/wire.ts';
import { OverworldError } from '#shared/errors/overworld-error.ts';
import type {
  Bridge,
  Push,
  PushName,
  Reply,
  RequestName,
  RequestParams,
  RequestResult,
} from '#shared/ipc/contract.ts';
import type { MethodName, Params, Result } from '#shared/rpc/contract.ts';

type Answer = (params: unknown) => unknown;

/**
 * Replaces the preload's bridge between window and main process in component tests. Returns the responses that the
 * test defines, and records all requests.
 */
export class FakeBridge implements Bridge {
  /** All requests so far, oldest first. Calls of the admin API are listed by their method's name. */
  readonly asked: { readonly name: string; readonly params: unknown }[] = [];
  /** Target folder and file names of each drop of files onto the window. */
  readonly dropped: { readonly folder: string; readonly names: readonly string[] }[] = [];
  readonly #answers = new Map<string, Answer>();
  readonly #listeners = new Map<PushName, Set<(value: never) => void>>();

  /**
   * Defines the response to a request. If the given function throws an OverworldError, the window gets the error in
   * the same form as over the real bridge.
   */
  answer<R extends RequestName>(
    name: R,
    answer: (params: RequestParams<R>) => RequestResult<R> | Promise<RequestResult<R>>,
  ): this {
    this.#answers.set(name, answer as Answer);
    return this;
  }

  /** Defines the response to a method of the admin API. */
  answerCall<M extends MethodName>(
    method: M,
    answer: (params: Params<M>) => Result<M> | Promise<Result<M>>,
  ): this {
    this.#answers.set(method, answer as Answer);
    return this;
  }

  /** Returns the parameters of all requests with this name so far. */
  askedFor(name: RequestName | MethodName): readonly unknown[] {
    return this.asked.filter((request) => request.name === name).map(({ params }) => params);
  }

  request<R extends Exclude<RequestName, 'files.planDrop'>>(
    name: R,
    params: RequestParams<R>,
  ): Promise<Reply> {
    if (name !== 'rpc.call') return this.#ask(name, params);
    const { method, params: inner } = params as RequestParams<'rpc.call'>;
    return this.#ask(method, inner);
  }

  planDrop(folder: string, files: readonly File[]): Promise<Reply> {
    const names = files.map(({ name }) => name);
    this.dropped.push({ folder, names });
    return this.#ask('files.planDrop', { folder, localPaths: names });
  }

  subscribe<P extends PushName>(name: P, listener: (value: Push<P>) => void): () => void {
    const listeners = this.#listeners.get(name) ?? new Set();
    listeners.add(listener);
    this.#listeners.set(name, listeners);
    return () => {
      listeners.delete(listener);
    };
  }

  /** Pushes a value to the window, as the main process does. */
  push<P extends PushName>(name: P, value: Push<P>): void {
    for (const listener of this.#listeners.get(name) ?? []) (listener as (value: Push<P>) => void)(value);
  }

  async #ask(name: string, params: unknown): Promise<Reply> {
    this.asked.push({ name, params });
    try {
      const answer = this.#answers.get(name);
      if (answer === undefined) {
        throw new OverworldError('INTERNAL', {
          what: `the fake bridge was not told what to answer to ${name}`,
        });
      }
      // As over the real bridge, a response never arrives synchronously.
      await Promise.resolve();
      return { ok: true, value: await answer(params) };
    } catch (thrown) {
      return { ok: false, error: toWire(thrown) };
    }
  }
}
