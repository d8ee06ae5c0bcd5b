/**
 * The window's screens in the order of its navigation. The navigation, the palette, the native Go menu and the table
 * of shortcuts all use this list.
 *
 * `letter` is the key to press after `g`. `digit` is the key to press with Ctrl or Cmd. For Preferences, both are the
 * comma, as in other programs.
 */
export const screens = [
  { id: 'overview', label: 'Overview', letter: 'o', digit: '1' },
  { id: 'services', label: 'Services', letter: 's', digit: '2' },
  { id: 'players', label: 'Players', letter: 'p', digit: '3' },
  { id: 'nodes', label: 'Nodes', letter: 'n', digit: '4' },
  { id: 'templates', label: 'Templates', letter: 't', digit: '5' },
  { id: 'files', label: 'Files', letter: 'f', digit: '6' },
  { id: 'configuration', label: 'Configuration', letter: 'c', digit: '7' },
  { id: 'activity', label: 'Activity', letter: 'a', digit: '8' },
  { id: 'connections', label: 'Connections', letter: 'l', digit: '9' },
  { id: 'preferences', label: 'Preferences', letter: ',', digit: ',' },
] as const;

export type ScreenId = (typeof screens)[number]['id'];

/** Screens at the foot of the navigation. They are about the app, not about the network. */
export const footScreens: readonly ScreenId[] = ['connections', 'preferences'];

/**
 * Commands that shortcuts, the palette and the native menu can send to the window, in addition to opening a screen.
 */
export const windowCommands = [
  'palette',
  'cheat sheet',
  'filter',
  'refresh',
  'back',
  'forward',
  'navigation',
  'switch master',
  'activity',
  'next pane',
  'previous pane',
] as const;
export type WindowCommand = (typeof windowCommands)[number];
