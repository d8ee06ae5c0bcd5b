import type { z } from 'zod';
import type { RequestName, RequestResult, requests } from '#shared/ipc/contract.ts';

/** Params after parsing, with defaults filled in. */
export type ParsedParams<R extends RequestName> = z.output<(typeof requests)[R]['params']>;

/** Handlers of the window's requests. They get parsed params and throw errors. */
export type Handlers = {
  readonly [R in RequestName]: (params: ParsedParams<R>) => Promise<RequestResult<R>> | RequestResult<R>;
};

/** The handlers of requests with one noun, the part of a request's name before the dot. Each noun has one file. */
export type HandlersOf<Noun extends string> = {
  readonly [R in Extract<RequestName, `${Noun}.${string}`>]: Handlers[R];
};
