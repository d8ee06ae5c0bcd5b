import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { loadPrivateKey } from '#master/admin/private-key-file.ts';
import type { NodeInfo } from '#master/nodes/node.ts';
import type { Runtime } from '#master/runtime/runtime.ts';
import { readMachineAccess } from '#master/store/machine-access.ts';
import { DEFAULT_PORTS, type MasterOptions } from './options.ts';
import type { OwnMachine, OwnMachineOptions } from './own-machine.ts';

type Options = Pick<MasterOptions, 'localAccess' | 'ports' | 'ramMb' | 'sshPort'>;
type Parts = Omit<OwnMachineOptions, 'access' | 'ports' | 'ramMb' | 'masterPort'>;

/**
 * The master's own machine as a node over SSH. Becomes available as soon as root has set the machine up, even while
 * the master runs, so that `overworld-master local enable` does not have to restart the master.
 */
export class LazyMachine {
  readonly #options: Options;
  readonly #parts: Parts;
  #opened: OwnMachine | null = null;
  #hasTried = false;
  /** Message of the last failure that was logged, so that each is logged once. */
  #logged: string | null = null;

  constructor(options: Options, parts: Parts) {
    this.#options = options;
    this.#parts = parts;
  }

  /** The runtime of its services; null while the machine is not set up as a node. */
  get runtime(): Runtime | null {
    return this.#opened?.runtime ?? null;
  }

  /**
   * Describes the machine; null while it is not set up as a node. Called in each round of the control loop.
   *
   * @throws OverworldError DATA_FAULTY, DATA_FOLDER_UNSAFE at the first call. Without this, the master would consider
   *   the services of its machine as removed, and start them elsewhere, too.
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
    // `overworld-master local enable` admits this key, and only the master may make it.
    await loadPrivateKey(join(this.#parts.folder.config, 'node_key'));
    if (!existsSync(localAccess)) return null;
    const access = await readMachineAccess(localAccess);
    if (access === null) return null;
    // A master without nodes does not load SSH's client.
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
