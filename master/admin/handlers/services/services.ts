import { OverworldError } from '#shared/errors/overworld-error.ts';
import { runtimeWithLog } from '#master/control/services/logs.ts';
import type { Drains } from '#master/control/services/drains.ts';
import type { ServiceCommands } from '#master/control/services/service-commands.ts';
import type { Documents } from '#master/state/context/documents.ts';
import type { NodeAccess } from '#master/state/context/node-access.ts';
import type { ServiceStores } from '#master/state/context/service-stores.ts';
import type { RollingRestarts } from '#master/control/services/rolling-restarts.ts';
import type { PublishedState } from '#master/control/loop/published-state.ts';
import type { OverrideCommands } from '#master/control/services/override-commands.ts';
import type { HandlersOf } from '../../api.ts';
import { serviceFilesHandlers, type ServiceFilesOptions } from './service-files.ts';
import { serviceLogHandlers } from './service-logs.ts';

export interface ServicesHandlersOptions {
  readonly context: Pick<Documents, 'config'> &
    Pick<NodeAccess, 'runtimeOf' | 'keeper' | 'keptFiles' | 'fileCalls'> &
    Pick<ServiceStores, 'records'>;
  readonly published: Pick<PublishedState, 'serviceFeed' | 'players'>;
  readonly orders: ServiceCommands;
  readonly overrideCommands: OverrideCommands;
  readonly rollingRestarts: RollingRestarts;
  readonly drains: Drains;
  readonly files: Omit<ServiceFilesOptions, 'context'>;
}

/** Creates the handlers of `services.*`. */
export function servicesHandlers({
  context,
  published,
  orders,
  overrideCommands,
  rollingRestarts,
  drains,
  files,
}: ServicesHandlersOptions): HandlersOf<'services'> {
  return {
    'services.list': ({ since }) => ({
      ...published.serviceFeed.since(since),
      network: {
        players: published.players,
        limit: context.config.master.config.max_online_players,
      },
    }),
    'services.failureLog': async ({ id }) => {
      const record = context.records.get(id);
      if (record === undefined) throw new OverworldError('SERVICE_NOT_FOUND', { service: id });
      if (record.failure === null || record.failureLog.length > 0) return [...record.failureLog];
      // The service failed while an earlier master ran, so the lines are read from the end of the stored log.
      return [...(await (await runtimeWithLog(id, context)).tailLog(id, 200))];
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
      await rollingRestarts.restart(id, kill, caller.name);
      return {};
    },
    'services.hold': async ({ id, held }, caller) => {
      await overrideCommands.holdService(id, held, caller.name);
      return {};
    },
    'services.command': async ({ id, line }, caller) => {
      await orders.command(id, line, caller.name);
      return {};
    },
    ...serviceLogHandlers(context),
    ...serviceFilesHandlers({ context, ...files }),
  };
}
