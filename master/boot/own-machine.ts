import { join } from 'node:path';
import { loadPrivateKey } from '#master/admin/private-key-file.ts';
import { LOCAL_NODE } from '#shared/model/node.ts';
import { ownMachine, toLocalNode } from '#master/nodes/local/own-machine.ts';
import { OWN_MACHINE } from '#master/nodes/node-names.ts';
import type { NodeInfo } from '#master/nodes/node.ts';
import type { NodeShell } from '#master/nodes/shell.ts';
import { createContacts } from '#master/nodes/ssh/contacts.ts';
import type { Runtime } from '#master/runtime/runtime.ts';
import { admitToNode, type Admitted } from '#master/runtime/systemd/admit.ts';
import { prepareNode } from '#master/runtime/systemd/prepare-node.ts';
import type { DataFolder } from '#master/store/data-folder.ts';
import type { MachineAccess } from '#master/store/machine-access.ts';
import { NodeRuntimes, type NodeRuntimesOptions } from './node-runtimes.ts';
import { openMachineState } from './own-machine-state.ts';

export interface OwnMachineOptions extends Pick<
  NodeRuntimesOptions,
  | 'cluster'
  | 'templates'
  | 'logs'
  | 'ports'
  | 'leaveFree'
  | 'javaDownloads'
  | 'whereIs'
  | 'onNodeChange'
  | 'log'
> {
  readonly access: MachineAccess;
  readonly folder: DataFolder;
  /** RAM for services (MB); default: installed RAM minus 1.5 GB. */
  readonly ramMb: number | undefined;
  /** Returns who may connect to this machine's game servers from other machines. */
  readonly admitted: () => Admitted;
  /**
   * Port of the master's SSH server. This machine blocks the port for its services. 0 if the port is not known in
   * advance.
   */
  readonly masterPort: number;
}

/**
 * The master's own machine as a node, reached over SSH, on which each service has a separate user (docs/adr/0051).
 */
export interface OwnMachine {
  /** Describes the machine, and connects to it if necessary. Called in each round of the control loop. */
  describe(): Promise<NodeInfo>;
  readonly runtime: Runtime;
  close(): Promise<void>;
}

/**
 * Opens the master's own machine as a node.
 *
 * @throws OverworldError DATA_FAULTY, DATA_FOLDER_UNSAFE
 */
export async function openOwnMachine(options: OwnMachineOptions): Promise<OwnMachine> {
  const { folder, access, ramMb, masterPort, admitted, log, onNodeChange } = options;
  const { privateKey } = await loadPrivateKey(join(folder.config, 'node_key'));
  const state = await openMachineState(join(folder.state, 'local-node.json'));
  const since = Date.now();
  const machine = () => ownMachine({ access, ramMb, since, readyAt: state.data.readyAt });
  const firewall = new MachineFirewall(admitted, log);
  const contacts = createContacts({
    key: privateKey,
    names: OWN_MACHINE,
    prepare: async (shell, { node }) => {
      await prepareNode(shell, { node, masterPort, names: OWN_MACHINE });
      await firewall.open(shell);
    },
    // Does nothing: the host key is already known from `overworld-master local enable`, and no provider has a
    // firewall for this machine.
    remember: () => Promise.resolve(),
    allowMaster: () => undefined,
    isOwnAddress: () => true,
    log,
  });
  const stop = contacts.onChange(onNodeChange);
  const runtimes = new NodeRuntimes({
    ...options,
    contacts,
    sharedFiles: folder.files,
    names: OWN_MACHINE,
    addressOf: () => machine().address ?? '',
  });
  return {
    async describe() {
      const contact = contacts.of(LOCAL_NODE);
      if (state.data.readyAt === null && contact?.state.kind === 'ready') {
        await state
          .update(() => ({ readyAt: Date.now() }))
          // The next round tries again to store the time.
          .catch((error: unknown) =>
            log.error({ err: error }, 'the readiness of this machine could not be stored yet'),
          );
      }
      const now = machine();
      contacts.keep([now]);
      if (contact?.state.kind === 'ready') firewall.update(contact.shell);
      return toLocalNode(now, contacts.of(LOCAL_NODE));
    },
    get runtime() {
      return runtimes.of(LOCAL_NODE);
    },
    async close() {
      stop();
      await runtimes.close();
      await contacts.close();
    },
  };
}

/** Applies the rules about who may connect to game servers to the machine's firewall. */
class MachineFirewall {
  readonly #admitted: () => Admitted;
  readonly #log: OwnMachineOptions['log'];
  /** Rules that were last sent to the machine, as JSON; null if unknown. */
  #applied: string | null = null;
  #applying: Promise<void> | null = null;

  constructor(admitted: () => Admitted, log: OwnMachineOptions['log']) {
    this.#admitted = admitted;
    this.#log = log;
  }

  /** Sends the rules to the machine. @throws OverworldError NODE_UNREACHABLE, NODE_TOOL_FAILED, DISK_FULL */
  async open(shell: NodeShell): Promise<void> {
    const admitted = this.#admitted();
    this.#applied = null;
    await admitToNode(shell, { node: LOCAL_NODE, names: OWN_MACHINE, admitted });
    this.#applied = JSON.stringify(admitted);
  }

  /**
   * Sends the rules to the machine in the background if they have changed. After a failure, the next round tries
   * again.
   */
  update(shell: NodeShell): void {
    if (this.#applying !== null || this.#applied === JSON.stringify(this.#admitted())) return;
    this.#applying = this.open(shell)
      .catch((error: unknown) =>
        this.#log.warn({ err: error }, 'the firewall of this machine could not be changed yet'),
      )
      .finally(() => (this.#applying = null));
  }
}
