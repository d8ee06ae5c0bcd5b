import { OverworldError } from '#shared/errors/overworld-error.ts';
import { runtimeWithLog } from '#master/control/services/logs.ts';
import type { Drains } from '#master/control/services/drains.ts';
import type { Orders } from '#master/control/services/service-commands.ts';
import type { Parts } from '#master/control/parts.ts';
import type { Renewals } from '#master/control/services/rolling-restarts.ts';
import type { Shown } from '#master/control/loop/published-state.ts';
import type { Wishes } from '#master/control/overrides/override-commands.ts';
import type { HandlersOf } from '../api.ts';
import { serviceLogHandlers } from './service-logs.ts';

export interface ServiceDesk {
  readonly parts: Parts;
  readonly shown: Pick<Shown, 'board' | 'players'>;
  readonly orders: Orders;
  readonly wishes: Wishes;
  readonly renewals: Renewals;
  readonly drains: Drains;
}

/** `services.*` of the admin API. */
export function servicesHandlers({
  parts,
  shown,
  orders,
  wishes,
  renewals,
  drains,
}: ServiceDesk): HandlersOf<'services'> {
  return {
    'services.list': ({ since }) => ({
      ...shown.board.since(since),
      network: {
        players: shown.players,
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
    'services.drain': async ({ id, withinMs }, caller) => {
      await drains.drain(id, withinMs, caller.name);
      return {};
    },
    'services.cancelDrain': async ({ id }, caller) => {
      await drains.cancel(id, caller.name);
      return {};
    },
    'services.restart': async ({ id, kill }, caller) => {
      await renewals.restart(id, kill, caller.name);
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
    ...serviceLogHandlers(parts),
  };
}
