/** Second part of the place for who may do what; no field of the master configuration has this name. */
const ACCESS = 'access';

export type ConfigurationTab = 'settings' | 'access';

/** The tab of a place: `configuration/access`, else the settings. */
export function tabOf(part: string | undefined): ConfigurationTab {
  return part === ACCESS ? 'access' : 'settings';
}
