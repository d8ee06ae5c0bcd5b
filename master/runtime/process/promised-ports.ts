import type { ServiceId } from '#shared/model/service.ts';
import { KeyedLock } from '../keyed-lock.ts';
import type { PortRange } from '../port-range.ts';
import { pickPort } from './ports.ts';

/** Ports of services that are just being prepared: no record tells them yet. */
export class PromisedPorts {
  readonly #range: PortRange;
  readonly #taken: () => Promise<readonly number[]>;
  readonly #promised = new Map<ServiceId, number>();
  readonly #lock = new KeyedLock();

  /** @param taken ports of the range that are others', as records and files tell at this moment */
  constructor(range: PortRange, taken: () => Promise<readonly number[]>) {
    this.#range = range;
    this.#taken = taken;
  }

  /**
   * Promises a free port to a service, until {@link PromisedPorts.forget}.
   *
   * @throws OverworldError PORT_NONE_FREE
   */
  promise(id: ServiceId): Promise<number> {
    // One at a time: two services prepared at once must not be promised the same port.
    return this.#lock.run('a port', async () => {
      const taken = await this.#taken();
      const port = await pickPort(this.#range, new Set([...taken, ...this.#promised.values()]));
      this.#promised.set(id, port);
      return port;
    });
  }

  /** Its record tells it now, or it was not prepared after all. */
  forget(id: ServiceId): void {
    this.#promised.delete(id);
  }
}
