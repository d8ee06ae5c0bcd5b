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
      const log = await followed.open(caller, id, async () => {
        const runtime = await runtimeWithLog(id, context);
        return runtime.followLog(id, lines, (newLines, ended) => {
          caller.notify('service.log', { id, lines: [...newLines], ended });
        });
      });
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

interface Closable {
  close(): void;
}

/** A console that a connection follows. */
interface Follow {
  /** Null while the log is being opened. */
  log: Closable | null;
}

/** Follows consoles for connections, and stops when a connection closes. */
class FollowedLogs {
  readonly #follows = new Map<Caller, Map<ServiceId, Follow>>();

  /**
   * Opens a log for a connection, in place of the log of the same service that the connection follows already. If the
   * connection closes, or stops following the service or follows it again before the log is open, the log is closed
   * at once.
   *
   * @throws OverworldError TOO_MANY; whatever `openLog` throws
   */
  async open<Log extends Closable>(caller: Caller, id: ServiceId, openLog: () => Promise<Log>): Promise<Log> {
    this.close(caller, id);
    // Registered before the log is open, so that `close` also ends a follow that is still being opened.
    const follow = this.#add(caller, id);
    const isCurrent = (): boolean => this.#follows.get(caller)?.get(id) === follow;
    try {
      const log = await openLog();
      if (isCurrent()) follow.log = log;
      else log.close();
      return log;
    } catch (error) {
      if (isCurrent()) this.close(caller, id);
      throw error;
    }
  }

  close(caller: Caller, id: ServiceId): void {
    const ofCaller = this.#follows.get(caller);
    ofCaller?.get(id)?.log?.close();
    ofCaller?.delete(id);
  }

  #add(caller: Caller, id: ServiceId): Follow {
    let ofCaller = this.#follows.get(caller);
    if (ofCaller === undefined) {
      ofCaller = new Map();
      this.#follows.set(caller, ofCaller);
      caller.onClose(() => this.#closeAll(caller));
    }
    if (ofCaller.size >= MAX_FOLLOWED) {
      throw new OverworldError('TOO_MANY', { what: 'followed consoles', limit: MAX_FOLLOWED });
    }
    const follow: Follow = { log: null };
    ofCaller.set(id, follow);
    return follow;
  }

  #closeAll(caller: Caller): void {
    for (const { log } of this.#follows.get(caller)?.values() ?? []) log?.close();
    this.#follows.delete(caller);
  }
}
