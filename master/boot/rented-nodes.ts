import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Logger } from 'pino';
import { masterConfigSchema } from '#shared/config/master.ts';
import { OverworldError } from '#shared/errors/overworld-error.ts';
import type { Cloud, CloudOptions } from './cloud.ts';
import { emitNodeEvent } from '#master/control/feed/emit-event.ts';
import type { NodeId } from '#master/core/snapshot/snapshot.ts';
import { LateProvider } from '#master/nodes/late-provider.ts';
import type { Provider } from '#master/nodes/provider.ts';
import type { LogStore } from '#master/runtime/log/log-store.ts';
import type { Runtime } from '#master/runtime/runtime.ts';
import type { ConfigStore } from '#master/store/config-store.ts';
import type { DataFolder } from '#master/store/data-folder.ts';
import type { EventLog } from '#master/store/event-log.ts';
import type { TemplateFolders } from '#master/templates/template-files.ts';

export interface RentedOptions {
  readonly folder: DataFolder;
  readonly cluster: string;
  readonly config: Pick<ConfigStore, 'master'>;
  readonly templates: TemplateFolders;
  readonly logs: LogStore;
  readonly events: EventLog;
  readonly log: Logger;
  readonly providerUrl?: string | undefined;
  readonly providerTimes?: CloudOptions['providerTimes'];
  readonly whereIs: CloudOptions['whereIs'];
  readonly onNews: () => void;
}

/** Cloud nodes, if there are any. */
export interface Rented {
  readonly provider: Provider;
  /**
   * Returns the runtime of a cloud node.
   *
   * @throws OverworldError NODE_NOT_FOUND while there are no cloud nodes
   */
  runtimeOf(node: NodeId): Runtime;
  close(): Promise<void>;
}

const NO_TOKEN = masterConfigSchema.parse({}).provider.api_token;

/**
 * Opens the cloud nodes once a token is set, or if nodes were ordered earlier. Until then not even the code is
 * loaded.
 */
export function openRented(options: RentedOptions): Rented {
  const { folder, config, events, ...rest } = options;
  let cloud: Cloud | null = null;
  const rentedBefore = existsSync(join(folder.state, 'nodes.json'));
  const provider = new LateProvider(
    () => rentedBefore || config.master.config.provider.api_token !== NO_TOKEN,
    async () => {
      const { openCloud } = await import('./cloud.ts');
      cloud = await openCloud({
        ...rest,
        folder,
        settings: () => {
          const { provider: rules, firewall_rules: firewallRules, communication } = config.master.config;
          return { provider: rules, firewallRules, masterAddress: communication.hostname };
        },
        onOverdue: (node, { message }) =>
          emitNodeEvent(events, node, { kind: 'node.failed', message, cause: 'it is given up' }),
      });
      return cloud.provider;
    },
  );
  return {
    provider,
    runtimeOf: (node) => {
      if (cloud === null) throw new OverworldError('NODE_NOT_FOUND', { node });
      return cloud.runtimeOf(node);
    },
    close: async () => cloud?.close(),
  };
}
