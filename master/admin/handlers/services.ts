import { OverworldError } from '#shared/errors/overworld-error.ts';
import type { ServiceId } from '#shared/model/service.ts';
import type { Board } from '#master/control/board.ts';
import { runtimeWithLog } from '#master/control/logs.ts';
import type { Orders } from '#master/control/orders.ts';
import type { Parts } from '#master/control/parts.ts';
import type { Wishes } from '#master/control/wishes.ts';
import type { Caller, HandlersOf } from '../api.ts';

/** Consoles one connection may follow at the same time: as many tabs as a person can tell apart, and some more. */
const MAX_FOLLOWED = 64;

export interface ServiceDesk {
  readonly parts: Parts;
  readonly board: Board;
  readonly orders: Orders;
  readonly wishes: Wishes;
}

/** `services.*` of the admin API. */
export function servicesHandlers({ parts, board, orders, wishes }: ServiceDesk): HandlersOf<'services'> {
  const followed = new FollowedLogs();
  return {
    'services.list': ({ since }) => ({
      ...board.since(since),
      network: {
        players: parts.records.all.reduce((sum, record) => sum + record.players.online, 0),
        limit: parts.config.master.config.max_online_players,
      },
    }),
    'services.failureLog': async ({ id }) => {
      const record = parts.records.get(id);
      if (record === undefined) throw new OverworldError('SERVICE_NOT_FOUND', { service: id });
      if (record.failure === null || record.failureLog.length > 0) return [...record.failureLog];
      // The failure was seen by an earlier master: its lines are at the end of the kept log.
      return [...(await (await runtimeWithLog(id, parts)).tailLog(id, 200))];
    },
    'services.start': async ({ template }, caller) => ({ id: await orders.start(template, caller.name) }),
    'services.stop': async ({ id, kill }, caller) => {
      await orders.stop(id, kill, caller.name);
      return {};
    },
    'services.hold': async ({ id, held }, caller) => {
      await wishes.holdService(id, held, caller.name);
      return {};
    },
    'services.command': async ({ id, line }, caller) => {
      await orders.command(id, line, caller.name);
      return {};
    },
    'services.followLog': async ({ id, lines }, caller) => {
      const runtime = await runtimeWithLog(id, parts);
      followed.close(caller, id);
      if (followed.count(caller) >= MAX_FOLLOWED) {
        throw new OverworldError('TOO_MANY', { what: 'followed consoles', limit: MAX_FOLLOWED });
      }
      const log = await runtime.followLog(id, lines, (newLines, ended) => {
        caller.notify('service.log', { id, lines: [...newLines], ended });
      });
      followed.add(caller, id, log.close.bind(log));
      return [...log.lines];
    },
    'services.unfollowLog': ({ id }, caller) => {
      followed.close(caller, id);
      return {};
    },
  };
}

/** Who follows which console, so that all end with their connection. */
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
    // The connection may have ended while the log was being opened.
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
