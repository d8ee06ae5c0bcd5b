import { app, Menu, type MenuItemConstructorOptions } from 'electron';
import { screens } from '#shared/ipc/screens.ts';

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
        submenu: screens.map(({ id, label, digit }) => ({
          label,
          accelerator: `CmdOrCtrl+${digit}`,
          click: () => navigate(id),
        })),
      },
      { role: 'help', submenu: [{ label: 'About Overworld', click: () => navigate('about') }] },
    ]),
  );
}
