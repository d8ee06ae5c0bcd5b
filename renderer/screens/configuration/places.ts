/** Second part of the place of the access tab. No field of the master configuration has this name. */
const ACCESS = 'access';

export type ConfigurationTab = 'settings' | 'access';

/** Returns the tab of a place: `configuration/access`, else the settings. */
export function tabOf(part: string | undefined): ConfigurationTab {
  return part === ACCESS ? 'access' : 'settings';
}
