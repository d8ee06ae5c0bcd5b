import type { ServiceId } from '#shared/model/service.ts';
import { KeyedLock } from '../keyed-lock.ts';
import type { PortRange } from '#shared/port-range.ts';
import { pickPort } from './ports.ts';

/** Ports reserved for services that are being prepared and whose port is not in a record yet. */
export class PromisedPorts {
  readonly #range: PortRange;
  readonly #taken: () => Promise<readonly number[]>;
  readonly #promised = new Map<ServiceId, number>();
  readonly #lock = new KeyedLock();

  /** @param taken returns the ports of the range that are in use according to records and files */
  constructor(range: PortRange, taken: () => Promise<readonly number[]>) {
    this.#range = range;
    this.#taken = taken;
  }

  /**
   * Reserves a free port for a service until {@link PromisedPorts.forget} is called.
   *
   * @throws OverworldError PORT_NONE_FREE
   */
  promise(id: ServiceId): Promise<number> {
    // Reservations run one at a time, so that two services cannot get the same port.
    return this.#lock.run('a port', async () => {
      const taken = await this.#taken();
      const port = await pickPort(this.#range, new Set([...taken, ...this.#promised.values()]));
      this.#promised.set(id, port);
      return port;
    });
  }

  /** Ends the reservation. The port is now in the service's record, or preparing the service failed. */
  forget(id: ServiceId): void {
    this.#promised.delete(id);
  }
}
