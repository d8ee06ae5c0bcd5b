import type { z } from 'zod';
import type { RequestName, RequestResult, requests } from '#shared/ipc/contract.ts';

/** Params as they are after parsing, with defaults filled in. */
export type ParsedParams<R extends RequestName> = z.output<(typeof requests)[R]['params']>;

/** What answers the window's requests. Params are parsed; errors are thrown. */
export type Handlers = {
  readonly [R in RequestName]: (params: ParsedParams<R>) => Promise<RequestResult<R>> | RequestResult<R>;
};

/** The handlers of one noun: one file each. */
export type HandlersOf<Noun extends string> = {
  readonly [R in Extract<RequestName, `${Noun}.${string}`>]: Handlers[R];
};
