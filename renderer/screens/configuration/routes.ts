/**
 * Second part of the access tab's route. Otherwise this part is the name of a field, and no field of the master
 * configuration is named so.
 */
const ACCESS = 'access';

export type ConfigurationTab = 'settings' | 'access';

/** Returns the tab that a route opens: the access tab for `configuration/access`, else the settings. */
export function tabOf(part: string | undefined): ConfigurationTab {
  return part === ACCESS ? 'access' : 'settings';
}
