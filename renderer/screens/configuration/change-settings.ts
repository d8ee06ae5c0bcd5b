import type { MasterConfig } from '#shared/config/master.ts';
import { call } from '../../bridge/bridge.ts';
import { route } from '../../stores/app/route.svelte.ts';
import { masterConfig } from '../../stores/documents/master-config.svelte.ts';
import { toasts } from '../../ui/overlay/toasts.svelte.ts';
import { ON_DISK } from '../document/open-file.svelte.ts';

/**
 * Changes settings of the saved master configuration outside of its editor. If the file on disk is faulty, changes
 * nothing, and opens the file in the editor (docs/master-config.md#a-faulty-file).
 *
 * @param change returns the configuration with the changed settings
 * @returns whether the settings are saved
 * @throws OverworldError CONFIG_CONFLICT if another person saved a version at the same moment
 */
export async function changeSettings(change: (config: MasterConfig) => MasterConfig): Promise<boolean> {
  const { config, configRevision, problems } = await call('config.get', {});
  if (problems.length > 0) {
    // The update would replace the whole file with the values in use, and so lose the edits of its author.
    toasts.warn('Nothing was changed, because config/master.json is faulty. Correct it first');
    route.go('configuration', ON_DISK);
    return false;
  }
  masterConfig.value = await call('config.update', { config: change(config), basedOn: configRevision });
  return true;
}
