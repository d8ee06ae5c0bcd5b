import { link } from '#renderer/stores/connection/link.svelte.ts';
import { keepStoresLive } from '#renderer/stores/live.ts';
import { services } from '#renderer/stores/services.svelte.ts';
import { transfers } from '#renderer/stores/files/transfers.svelte.ts';
import type { Link } from '#shared/ipc/contract.ts';
import type { FakeBridge } from '#test/support/app/fake-bridge.ts';
import { aLink } from '#test/support/app/models.ts';
import { installBridge } from './window-world.ts';

let generation = 1000;

/**
 * Connects the shared stores to a bridge, as the frame does. Each call simulates a new connection.
 *
 * @param rest differences from the link to the embedded master
 * @returns a function that disconnects the stores
 */
export function connectStores(bridge: FakeBridge, rest: Partial<Link> = {}): () => void {
  installBridge(bridge);
  services.reset(false);
  generation += 1;
  bridge.answer('link.get', () => aLink({ generation, run: `run ${generation}`, ...rest }));
  const stops = [keepStoresLive(), link.connect(), transfers.connect()];
  return () => {
    for (const stop of stops) stop();
  };
}
