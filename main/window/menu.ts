import { app, Menu, type MenuItemConstructorOptions } from 'electron';

/** Places of the window that the Go menu leads to, with their keys (Ctrl or Cmd and the number). */
const places = [
  { label: 'Overview', place: 'overview' },
  { label: 'Services', place: 'services' },
  { label: 'Templates', place: 'templates' },
  { label: 'Files', place: 'files' },
  { label: 'Activity', place: 'activity' },
] as const;

/** Sets the app's native menu. `navigate` sends the window to a place. */
export function setMenu(navigate: (place: string) => void): void {
  const mac = process.platform === 'darwin';
  const appMenu: MenuItemConstructorOptions[] = mac ? [{ role: 'appMenu' }] : [];
  const development: MenuItemConstructorOptions[] = app.isPackaged
    ? []
    : [{ type: 'separator' }, { role: 'reload' }, { role: 'toggleDevTools' }];
  Menu.setApplicationMenu(
    Menu.buildFromTemplate([
      ...appMenu,
      { label: 'File', submenu: [mac ? { role: 'close' } : { role: 'quit' }] },
      { role: 'editMenu' },
      {
        label: 'View',
        submenu: [
          { role: 'resetZoom' },
          { role: 'zoomIn' },
          { role: 'zoomOut' },
          { type: 'separator' },
          { role: 'togglefullscreen' },
          ...development,
        ],
      },
      {
        label: 'Go',
        submenu: places.map(({ label, place }, index) => ({
          label,
          accelerator: `CmdOrCtrl+${index + 1}`,
          click: () => navigate(place),
        })),
      },
      { role: 'help', submenu: [{ label: 'About Overworld', click: () => navigate('about') }] },
    ]),
  );
}
