/**
 * Second parts of the routes of the tabs other than the settings. Otherwise this part is the name of a field, and no
 * field of the master configuration is named so.
 */
const TABS = ['provider', 'access', 'security-log', 'backup'] as const;

export type ConfigurationTab = 'settings' | (typeof TABS)[number];

/** Returns the tab that a route opens: `configuration/provider`, `configuration/access` and so on, else the settings. */
export function tabOf(part: string | undefined): ConfigurationTab {
  return TABS.find((tab) => tab === part) ?? 'settings';
}
