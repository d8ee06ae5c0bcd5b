import { Adoptions } from '#master/control/services/adoptions.ts';
import { withLostNodes } from '#master/control/nodes/node-silence.ts';
import { NodeTroubles } from '#master/control/nodes/node-troubles.ts';
import type { Documents } from '#master/control/context/documents.ts';
import type { NodeAccess } from '#master/control/context/node-access.ts';
import type { ServiceState } from '#master/control/context/service-state.ts';
import type { Feed } from '#master/control/context/feed.ts';
import type { NodeId } from '#master/core/snapshot/snapshot.ts';
import type { Opened } from './ending.ts';
import { LOCAL_NODE, openLocalProvider } from '#master/nodes/local/local-provider.ts';
import { joinProviders } from '#master/nodes/several.ts';
import { DEFAULT_PORTS, type MasterOptions } from './options.ts';
import { openRented } from './rented-nodes.ts';
import { LogStore } from '#master/runtime/log/log-store.ts';
import { createProcessRuntime, type ProcessRuntime } from '#master/runtime/process/process-runtime.ts';
import type { Runtime } from '#master/runtime/runtime.ts';
import type { DataFolder } from '#master/store/data-folder.ts';
import { portsOfBalancer } from './ingress.ts';

export interface AllNodesOptions {
  readonly options: Pick<
    MasterOptions,
    'local' | 'ports' | 'providerUrl' | 'providerTimes' | 'ramMb' | 'log'
  >;
  readonly folder: DataFolder;
  readonly cluster: string;
  /** What the nodes need to know from other parts. */
  readonly known: Pick<Documents, 'config' | 'templates'> &
    Pick<ServiceState, 'records' | 'pinger'> &
    Pick<Feed, 'events'>;
}

/** All nodes behind one interface, and what is known about them. */
export interface AllNodes
  extends Pick<NodeAccess, 'provider' | 'runtimeOf' | 'troubles'>, Pick<ServiceState, 'adoptions'> {
  /** The master's own machine. It stores logs even if it runs no services. */
  readonly own: ProcessRuntime;
  /** Console logs of the services of all nodes. */
  readonly logs: LogStore;
  /**
   * Registers a listener for changes on or of a node.
   *
   * @returns a function that unsubscribes
   */
  onNews(listener: () => void): () => void;
}

/** Opens the master's own machine, and the cloud nodes if there are any. */
export async function openAllNodes(
  { options, folder, cluster, known }: AllNodesOptions,
  opened: Opened,
): Promise<AllNodes> {
  const { config, templates, records, events, pinger } = known;
  const { log, providerUrl, providerTimes } = options;
  const logs = new LogStore(folder.logs);
  const own = createProcessRuntime({
    cluster,
    folder: folder.services,
    logs,
    sharedFiles: folder.files,
    templates,
    ports: options.ports ?? DEFAULT_PORTS,
    leaveFree: () => portsOfBalancer(config),
    host: '0.0.0.0',
  });
  opened.add(() => own.close());
  opened.add(() => logs.close());
  const local =
    (options.local ?? true)
      ? [await openLocalProvider({ ramMb: options.ramMb, hasJava: () => own.hasJava() })]
      : [];
  const listeners = new Set<() => void>();
  const rented = openRented({
    ...{ folder, cluster, config, templates, logs, events, log, providerUrl, providerTimes },
    whereIs: (service, from) => adoptions.whereIs(service, from),
    onNews: () => {
      for (const listener of listeners) listener();
    },
  });
  opened.add(() => rented.close());
  const troubles = new NodeTroubles();
  const provider = troubles.shownBy(
    withLostNodes(joinProviders([...local, rented.provider]), {
      answers: (node) => records.all.some(({ id, node: on }) => on === node && pinger.answersNow(id)),
    }),
  );
  const adoptions = new Adoptions({ records, provider, ownNode: LOCAL_NODE });
  const runtimeOf = (node: NodeId): Runtime => (node === LOCAL_NODE ? own : rented.runtimeOf(node));
  const onNews = (listener: () => void): (() => void) => {
    listeners.add(listener);
    const leave = own.onExit(listener);
    return () => {
      leave();
      listeners.delete(listener);
    };
  };
  return { provider, runtimeOf, adoptions, troubles, own, logs, onNews };
}
