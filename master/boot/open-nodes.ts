import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { FirewallRule } from '#shared/config/master.ts';
import { NO_API_TOKEN } from '#shared/config/secret.ts';
import { OverworldError } from '#shared/errors/overworld-error.ts';
import { LOCAL_NODE } from '#shared/model/node.ts';
import { Adoptions } from '#master/state/services/adoptions.ts';
import type { Documents } from '#master/state/context/documents.ts';
import type { NodeAccess } from '#master/state/context/node-access.ts';
import type { ServiceStores } from '#master/state/context/service-stores.ts';
import type { Feed } from '#master/state/context/feed.ts';
import type { NodeId } from '#master/core/snapshot/snapshot.ts';
import type { CloseStack } from './shutdown.ts';
import { localNode } from '#master/nodes/local/local-node.ts';
import { openRegistry } from '#master/nodes/registry.ts';
import { DEFAULT_PORTS, type MasterOptions } from './options.ts';
import { emitNodeEvent } from '#master/state/feed/emit-event.ts';
import type { Cloud } from './cloud.ts';
import { LazyMachine } from './lazy-machine.ts';
import { LogStore } from '#master/runtime/log/log-store.ts';
import { createProcessRuntime, type ProcessRuntime } from '#master/runtime/process/process-runtime.ts';
import { ADOPTIUM_URL } from '#master/runtime/java/adoptium.ts';
import { JavaDownloads } from '#master/runtime/java/downloads.ts';
import type { Runtime } from '#master/runtime/runtime.ts';
import type { Admitted } from '#master/runtime/systemd/admit.ts';
import type { DiskReserves } from '#master/store/disk-reserve.ts';
import type { DataFolder } from '#master/store/data-folder.ts';
import { portsOfBalancer } from './ingress.ts';

export interface OpenNodesOptions {
  readonly options: Pick<
    MasterOptions,
    | 'javaUrl'
    | 'local'
    | 'localAccess'
    | 'ports'
    | 'providerUrl'
    | 'providerTimes'
    | 'ramMb'
    | 'sshPort'
    | 'log'
  >;
  readonly folder: DataFolder;
  readonly cluster: string;
  /** Parts of the master whose data the nodes need. */
  readonly known: Pick<Documents, 'config' | 'templates' | 'overrides'> &
    Pick<NodeAccess, 'costs'> &
    Pick<ServiceStores, 'records' | 'pinger'> &
    Pick<Feed, 'events'> & { readonly disks: DiskReserves };
}

/** Access to all nodes, and to their state. */
export interface OpenedNodes
  extends Pick<NodeAccess, 'registry' | 'runtimeOf'>, Pick<ServiceStores, 'adoptions'> {
  /**
   * Runtime of services that are processes on the master's own machine. It also stores logs if the machine runs no
   * services.
   */
  readonly own: ProcessRuntime;
  /** Console logs of the services of all nodes. */
  readonly logs: LogStore;
  /**
   * Registers a listener that is called when nodes, or processes on them, have changed.
   *
   * @returns a function that unsubscribes
   */
  onNodeChange(listener: () => void): () => void;
}

/** Opens the master's own machine, and the cloud nodes if there are any. */
export async function openNodes(
  { options, folder, cluster, known }: OpenNodesOptions,
  opened: CloseStack,
): Promise<OpenedNodes> {
  const { config, templates, overrides, records, events, pinger, costs, disks } = known;
  const { log, providerUrl, providerTimes } = options;
  const logs = new LogStore(folder.logs, (id) => records.get(id) !== undefined);
  const leaveFree = () => portsOfBalancer(config, folder.root);
  const javaDownloads = new JavaDownloads({
    folder: join(folder.java, 'downloads'),
    url: options.javaUrl === undefined ? ADOPTIUM_URL : options.javaUrl,
    reserve: (bytes) => disks.of(folder.java).require(bytes),
  });
  const own = createProcessRuntime({
    cluster,
    folder: folder.services,
    logs,
    disks,
    sharedFiles: folder.files,
    templates,
    ports: options.ports ?? DEFAULT_PORTS,
    leaveFree,
    host: '0.0.0.0',
    javaVersions: { folder: join(folder.java, 'versions'), downloads: javaDownloads },
    log,
  });
  opened.add(() => own.close());
  opened.add(() => logs.close());
  const listeners = new Set<() => void>();
  const hadCloudNodes = existsSync(join(folder.state, 'nodes.json'));
  let cloud: Cloud | null = null;
  opened.add(() => cloud?.close());
  const notifyListeners = (): void => {
    for (const listener of listeners) listener();
  };
  const machine = new LazyMachine(options, {
    folder,
    cluster,
    templates,
    logs,
    log,
    leaveFree,
    javaDownloads,
    onNodeChange: notifyListeners,
    admitted: () => ({
      nodes: (cloud?.machines.all() ?? []).flatMap(({ address }) => address ?? []).sort(),
      rules: tcpRulesOf(config.master.config.firewall_rules),
    }),
    whereIs: (service, from) => adoptions.whereIs(service, from),
  });
  opened.add(() => machine.close());
  const registry = await openRegistry({
    local:
      (options.local ?? true)
        ? localNode({ ramMb: options.ramMb, hasJava: () => own.hasJava() })
        : () => machine.describe(),
    cloud: {
      isNeeded: () => hadCloudNodes || config.master.config.provider.api_token !== NO_API_TOKEN,
      open: async () => {
        const { openCloud } = await import('./cloud.ts');
        cloud = await openCloud({
          folder,
          cluster,
          templates,
          logs,
          log,
          providerUrl,
          providerTimes,
          javaDownloads,
          sshPort: options.sshPort,
          settings: () => {
            const { provider, firewall_rules: firewallRules, communication, limits } = config.master.config;
            return { provider, firewallRules, masterAddress: communication.hostname, limits };
          },
          month: (nodes) => costs.month(nodes),
          whereIs: (service, from) => adoptions.whereIs(service, from),
          onNodeChange: notifyListeners,
        });
        return cloud;
      },
    },
    silence: {
      answers: (node) => records.all.some(({ id, node: on }) => on === node && pinger.answersNow(id)),
    },
    now: Date.now,
    overridesOf: (node) => overrides.ofNode(node),
    onOverdue: (node, { message }) =>
      emitNodeEvent(events, node, { kind: 'node.failed', message, cause: 'its start timed out' }),
    log,
  });
  const adoptions = new Adoptions({ records, registry, ownNode: LOCAL_NODE });
  const runtimeOf = (node: NodeId): Runtime => {
    if (node === LOCAL_NODE) return machine.runtime ?? own;
    if (cloud === null) throw new OverworldError('NODE_NOT_FOUND', { node });
    return cloud.runtimeOf(node);
  };
  const onNodeChange = (listener: () => void): (() => void) => {
    listeners.add(listener);
    const stopListening = own.onExit(listener);
    return () => {
      stopListening();
      listeners.delete(listener);
    };
  };
  return { registry, runtimeOf, adoptions, own, logs, onNodeChange };
}

/** Sources of a firewall rule that names no sources: all addresses. */
const EVERYONE = ['0.0.0.0/0', '::/0'];

/** Returns the firewall rules for TCP that admins have configured. */
function tcpRulesOf(rules: readonly FirewallRule[]): Admitted['rules'] {
  return rules
    .filter(({ protocol = 'tcp' }) => protocol === 'tcp')
    .map(({ port, source_ips: sources = EVERYONE }) => ({ port, sources }));
}
