import type { Transfers } from '../transfers/queue/transfers.ts';
import type { HandlersOf } from './handlers.ts';

/** Returns the handlers of requests about the transfer queue. */
export function transferHandlers(transfers: Transfers): HandlersOf<'transfers'> {
  return {
    'transfers.start': async ({ plan, onConflict, each }) => {
      await transfers.start(plan, { rest: onConflict, each: each ?? {} });
      return {};
    },
    'transfers.list': () => transfers.list(),
    'transfers.pause': ({ id }) => {
      transfers.pause(id);
      return {};
    },
    'transfers.resume': ({ id }) => {
      transfers.resume(id);
      return {};
    },
    'transfers.cancel': ({ id }) => {
      transfers.cancel(id);
      return {};
    },
    'transfers.retry': async ({ id }) => {
      await transfers.retry(id);
      return {};
    },
    'transfers.clear': () => {
      transfers.clear();
      return {};
    },
  };
}
