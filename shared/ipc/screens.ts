/**
 * The window's screens in the order of its navigation: read by the navigation, the palette, the native Go menu and the
 * table of shortcuts, so that they cannot disagree. `letter`: pressed after `g`; `digit`: pressed with Ctrl or Cmd, for
 * Preferences the comma that opens them in other programs.
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

/** Those that stand at the foot of the navigation: about the app, not about the network. */
export const footScreens: readonly ScreenId[] = ['connections', 'preferences'];

/** What shortcuts, palette and native menu can ask of the window besides going to a screen. */
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
