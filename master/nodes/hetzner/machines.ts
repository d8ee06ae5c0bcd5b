import { OverworldError } from '#shared/errors/overworld-error.ts';
import type { Machines } from '../machines.ts';
import type { MachinesOptions } from './options.ts';

/**
 * Machines rented from Hetzner Cloud. Asks nobody until {@link Machines.refresh}: what was known is read from disk.
 *
 * @throws OverworldError DATA_FAULTY
 */
export function createMachines(options: MachinesOptions): Promise<Machines> {
  const machines: Machines = {
    all: () => [],
    listed: () => false,
    supply: () => null,
    refresh: () => Promise.resolve(),
    trouble: () => null,
    order: ({ node }) => {
      const advice = 'Set provider.api_token in the master configuration.';
      throw new OverworldError('ORDER_REFUSED', { node, why: 'no API token is set', advice });
    },
    release: () => Promise.resolve(),
    remember: () => Promise.resolve(),
    countFailure: (node, why) => options.log.warn({ node, why }, 'a node did not become ready'),
    allowMaster: () => undefined,
    close: () => Promise.resolve(),
  };
  return Promise.resolve(machines);
}
