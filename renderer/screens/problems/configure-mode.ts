import { noOrder } from '../../stores/no-order.svelte.ts';
import { toasts } from '../../ui/overlay/toasts.svelte.ts';
import { changeSettings } from '../configuration/change-settings.ts';

/**
 * Lets the master order nodes: switches `provider.configure_mode` off in the saved configuration. If the file of the
 * configuration is faulty, opens the file instead.
 *
 * @throws OverworldError CONFIG_CONFLICT if another person saved a version at the same moment
 */
export async function switchConfigureModeOff(): Promise<void> {
  const saved = await changeSettings((config) => ({
    ...config,
    provider: { ...config.provider, configure_mode: false },
  }));
  if (!saved) return;
  toasts.done('Configure mode is off: nodes are ordered when they are needed');
  void noOrder.refresh();
}
