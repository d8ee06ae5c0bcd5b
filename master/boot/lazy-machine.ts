import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { loadPrivateKey } from '#master/admin/private-key-file.ts';
import type { NodeInfo } from '#master/nodes/node.ts';
import { areIsolated, ISOLATED_PORTS } from '#shared/port-range.ts';
import type { Runtime } from '#master/runtime/runtime.ts';
import { readMachineAccess } from '#master/store/machine-access.ts';
import { OverworldError } from '#shared/errors/overworld-error.ts';
import { DEFAULT_PORTS, type MasterOptions } from './options.ts';
import type { OwnMachine, OwnMachineOptions } from './own-machine.ts';

type Options = Pick<MasterOptions, 'localAccess' | 'ports' | 'ramMb' | 'sshPort'>;
type Parts = Omit<OwnMachineOptions, 'access' | 'ports' | 'ramMb' | 'masterPort'>;

/**
 * The master's own machine as a node over SSH. The node becomes available as soon as root has set it up, even while
 * the master runs. Therefore, `overworld-master local enable` need not restart the master.
 */
export class LazyMachine {
  readonly #options: Options;
  readonly #parts: Parts;
  #opened: OwnMachine | null = null;
  #hasTried = false;
  /** Message of the failure that was logged last, so that the same failure is not logged again. */
  #logged: string | null = null;

  constructor(options: Options, parts: Parts) {
    this.#options = options;
    this.#parts = parts;
  }

  /** The runtime of the machine's services; null while the machine is not set up as a node. */
  get runtime(): Runtime | null {
    return this.#opened?.runtime ?? null;
  }

  /**
   * Describes the machine. Null while it is not set up as a node. Called in each round of the control loop.
   *
   * @throws OverworldError LOCAL_PORTS_UNSAFE, DATA_FAULTY, DATA_FOLDER_UNSAFE, at the first call only. If the first
   *   call did not throw, the master would consider the services of its machine as lost, and start them on other nodes
   *   as well
   */
  async describe(): Promise<NodeInfo | null> {
    const isFirst = !this.#hasTried;
    this.#hasTried = true;
    try {
      this.#opened ??= await this.#open();
    } catch (error) {
      if (isFirst) throw error;
      this.#logOnce(error);
    }
    return (await this.#opened?.describe()) ?? null;
  }

  async close(): Promise<void> {
    await this.#opened?.close();
  }

  async #open(): Promise<OwnMachine | null> {
    const { localAccess, ports = DEFAULT_PORTS, ramMb, sshPort } = this.#options;
    if (localAccess === undefined) return null;
    // Creates the key, because only the master may do this. `overworld-master local enable` authorizes the key.
    await loadPrivateKey(join(this.#parts.folder.config, 'node_key'));
    if (!existsSync(localAccess)) return null;
    const access = await readMachineAccess(localAccess);
    if (access === null) return null;
    if (!areIsolated(ports)) {
      throw new OverworldError('LOCAL_PORTS_UNSAFE', { ports, isolated: ISOLATED_PORTS });
    }
    // Imported here, so that a master without nodes does not load the SSH client.
    const { openOwnMachine } = await import('./own-machine.ts');
    return openOwnMachine({ ...this.#parts, access, ports, ramMb, masterPort: sshPort });
  }

  #logOnce(error: unknown): void {
    const message = String(error);
    if (message === this.#logged) return;
    this.#logged = message;
    this.#parts.log.error({ err: error }, 'the access to this machine as a node could not be read');
  }
}
