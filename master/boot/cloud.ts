import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Logger } from 'pino';
import type { ServiceId } from '#shared/model/service.ts';
import { loadPrivateKey } from '#master/admin/private-key-file.ts';
import type { NodeId } from '#master/core/snapshot/snapshot.ts';
import { isOwnAddress } from '#master/link/server/own-addresses.ts';
import { makeMachineSeed } from '#master/nodes/bootstrap/machine-seed.ts';
import { createMachines } from '#master/nodes/hetzner/machines.ts';
import type { MachineSettings, MachinesOptions } from '#master/nodes/hetzner/options.ts';
import type { CloudAccess } from '#master/nodes/registry.ts';
import { createContacts } from '#master/nodes/ssh/contacts.ts';
import type { JavaDownloads } from '#master/runtime/java/downloads.ts';
import type { LogStore } from '#master/runtime/log/log-store.ts';
import type { Runtime, ServiceLocation } from '#master/runtime/runtime.ts';
import { prepareNode } from '#master/runtime/systemd/prepare-node.ts';
import type { DataFolder } from '#master/store/data-folder.ts';
import type { TemplateFolders } from '#master/templates/template-files.ts';
import { NodeRuntimes } from './node-runtimes.ts';

export interface CloudOptions {
  readonly folder: DataFolder;
  readonly cluster: string;
  readonly settings: () => MachineSettings;
  readonly month: MachinesOptions['month'];
  readonly templates: TemplateFolders;
  readonly logs: LogStore;
  readonly log: Logger;
  /**
   * Port of the master's SSH server. Nodes block this port for their services. 0 if the port is not known in advance.
   */
  readonly sshPort: number;
  readonly javaDownloads: JavaDownloads;
  /** Address of the provider's API. Default: the provider's real address. */
  readonly providerUrl?: string | undefined;
  /** Overrides some of the default intervals and time limits of requests to the provider. */
  readonly providerTimes?: MachinesOptions['times'];
  /**
   * Returns where a service should be according to the master. The answer decides whether a node's reports about the
   * service are accepted (control/services/adoptions.ts).
   */
  readonly whereIs: (service: ServiceId, from: NodeId) => ServiceLocation;
  /** Called when something on a node has changed: a process exited, or the node became reachable or unreachable. */
  readonly onNodeChange: () => void;
}

/** The cloud nodes, with their machines, connections and runtimes. */
export interface Cloud extends CloudAccess {
  /** Returns the runtime of a cloud node. */
  runtimeOf(node: NodeId): Runtime;
  close(): Promise<void>;
}

/**
 * Ports for services on cloud nodes. The setting `firewall_rules` is only needed for other ports, such as those that
 * plugins of a template open.
 */
export const NODE_PORTS = { from: 25_565, to: 25_999 };

/**
 * Creates everything that cloud nodes need: machines, connections and runtimes.
 *
 * @throws OverworldError DATA_FAULTY, DATA_FOLDER_UNSAFE
 */
export async function openCloud(options: CloudOptions): Promise<Cloud> {
  const { folder, cluster, log, onNodeChange } = options;
  const keyPath = join(folder.config, 'node_key');
  const key = await loadPrivateKey(keyPath);
  const machines = await createMachines({
    settings: options.settings,
    month: options.month,
    cluster,
    statePath: join(folder.state, 'nodes.json'),
    log,
    now: Date.now,
    baseUrl: options.providerUrl,
    ...(options.providerTimes === undefined ? {} : { times: options.providerTimes }),
  });
  const contacts = createContacts({
    key: key.privateKey,
    prepare: async (shell, { node }) => {
      await prepareNode(shell, { node, masterPort: options.sshPort });
    },
    remember: (node, found) => machines.remember(node, found),
    allowMaster: (addresses, isComplete) => machines.allowMaster(addresses, isComplete),
    isOwnAddress: (address) => isOwnAddress(address) || address === options.settings().masterAddress,
    log,
  });
  const stop = contacts.onChange(onNodeChange);
  const runtimes = new NodeRuntimes({
    contacts,
    cluster,
    log,
    onNodeChange,
    ports: NODE_PORTS,
    templates: options.templates,
    sharedFiles: folder.files,
    logs: options.logs,
    whereIs: options.whereIs,
    javaDownloads: options.javaDownloads,
    addressOf: (node) => machines.all().find((one) => one.node === node)?.address ?? '',
  });
  return {
    machines,
    contacts,
    makeSeed: () =>
      makeMachineSeed({ key: key.privateKey, sshPort: options.settings().provider.server_port }),
    keyMadeAt: await madeAt(keyPath),
    tidy: () => runtimes.keepOnly(new Set(machines.all().map(({ node }) => node))),
    runtimeOf: (node) => runtimes.of(node),
    close: async () => {
      stop();
      await runtimes.close();
      await contacts.close();
      await machines.close();
    },
  };
}

/** Returns when a file was written (ms since epoch). */
async function madeAt(path: string): Promise<number> {
  return (await stat(path)).mtime.getTime();
}
