import { call } from '../../bridge/bridge.ts';
import { noOrder } from '../../stores/no-order.svelte.ts';
import { toasts } from '../../ui/overlay/toasts.svelte.ts';

/**
 * Lets the master order nodes: switches `provider.configure_mode` off in the saved configuration.
 *
 * @throws OverworldError CONFIG_CONFLICT if another person saved a version at the same moment
 */
export async function switchConfigureModeOff(): Promise<void> {
  const { config, configRevision } = await call('config.get', {});
  const provider = { ...config.provider, configure_mode: false };
  await call('config.update', { config: { ...config, provider }, basedOn: configRevision });
  toasts.done('Configure mode is off: nodes are ordered when they are needed');
  void noOrder.refresh();
}
