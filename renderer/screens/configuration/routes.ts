/**
 * Second parts of the routes of all tabs except the settings. In a route of the settings, the second part is the name
 * of a field. No field of the master configuration has one of these names.
 */
const TABS = ['provider', 'access', 'security-log', 'backup'] as const;

export type ConfigurationTab = 'settings' | (typeof TABS)[number];

/**
 * Returns the tab that a route opens, from the second part of the route: `provider` in `configuration/provider`. If
 * the part is missing or names no other tab, returns the settings.
 */
export function tabOf(part: string | undefined): ConfigurationTab {
  return TABS.find((tab) => tab === part) ?? 'settings';
}
