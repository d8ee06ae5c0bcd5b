import { OverworldError } from '#shared/errors/overworld-error.ts';
import type { ServiceId } from '#shared/model/service.ts';
import type { LogLine } from '#shared/model/log-line.ts';
import { runtimeWithLog } from '#master/control/services/logs.ts';
import type { NodeAccess } from '#master/state/context/node-access.ts';
import type { ServiceStores } from '#master/state/context/service-stores.ts';
import type { Caller, HandlersOf } from '../../api.ts';

/** Maximum number of consoles that one connection may follow at the same time. */
const MAX_FOLLOWED = 64;
/**
 * Maximum size of the lines in the answer to `services.followLog` (bytes). JSON may make them six times as large, and
 * a message has at most 8 MB.
 */
const MAX_FIRST_BYTES = 1_048_576;

type LogMethod = `services.${'followLog' | 'unfollowLog' | 'readLog' | 'searchLog'}`;

/** Creates the handlers of the `services.*` methods for console logs. */
export function serviceLogHandlers(
  context: Pick<NodeAccess, 'runtimeOf' | 'keeper'> & Pick<ServiceStores, 'records'>,
): Pick<HandlersOf<'services'>, LogMethod> {
  const followed = new FollowedLogs();
  return {
    'services.followLog': async ({ id, lines }, caller) => {
      const runtime = await runtimeWithLog(id, context);
      followed.close(caller, id);
      if (followed.count(caller) >= MAX_FOLLOWED) {
        throw new OverworldError('TOO_MANY', { what: 'followed consoles', limit: MAX_FOLLOWED });
      }
      const log = await runtime.followLog(id, lines, (newLines, ended) => {
        caller.notify('service.log', { id, lines: [...newLines], ended });
      });
      followed.add(caller, id, log.close.bind(log));
      return newestWithin(log.lines, MAX_FIRST_BYTES);
    },
    'services.unfollowLog': ({ id }, caller) => {
      followed.close(caller, id);
      return {};
    },
    'services.readLog': async ({ id, from, limit }) => {
      const { lines, next } = await (await runtimeWithLog(id, context)).readLog(id, from, limit);
      return { lines: [...lines], next };
    },
    'services.searchLog': async ({ id, ...search }) => {
      const { lines, more } = await (await runtimeWithLog(id, context)).searchLog(id, search);
      return { lines: [...lines], more };
    },
  };
}

/** Returns the newest lines that fit into `maxBytes`. */
function newestWithin(lines: readonly LogLine[], maxBytes: number): LogLine[] {
  let bytes = 0;
  const tooOld = lines.findLastIndex(({ text }) => (bytes += Buffer.byteLength(text)) > maxBytes);
  return lines.slice(tooOld + 1);
}

/** Follows consoles for connections, and stops when a connection closes. */
class FollowedLogs {
  readonly #closers = new Map<Caller, Map<ServiceId, () => void>>();

  add(caller: Caller, id: ServiceId, close: () => void): void {
    let ofCaller = this.#closers.get(caller);
    if (ofCaller === undefined) {
      ofCaller = new Map();
      this.#closers.set(caller, ofCaller);
      caller.onClose(() => this.#closeAll(caller));
    }
    ofCaller.get(id)?.();
    ofCaller.set(id, close);
    // The connection may have been closed while the log was being opened.
    if (!this.#closers.has(caller)) close();
  }

  count(caller: Caller): number {
    return this.#closers.get(caller)?.size ?? 0;
  }

  close(caller: Caller, id: ServiceId): void {
    const ofCaller = this.#closers.get(caller);
    ofCaller?.get(id)?.();
    ofCaller?.delete(id);
  }

  #closeAll(caller: Caller): void {
    for (const close of this.#closers.get(caller)?.values() ?? []) close();
    this.#closers.delete(caller);
  }
}
