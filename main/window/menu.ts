import { app, Menu, shell, type MenuItemConstructorOptions } from 'electron';
import { footScreens, screens, type WindowCommand } from '#shared/ipc/screens.ts';
import type { PushToWindow } from './push.ts';

/**
 * Shortcut of a menu entry. If the page handles the shortcut itself, the menu shows it but does not register it,
 * because a text field may need it.
 */
type Keys = Pick<MenuItemConstructorOptions, 'accelerator' | 'registerAccelerator'>;

/** macOS registers each shortcut of a menu, so a shortcut without Command is not shown: it could not be typed. */
const shown = (accelerator: string): Keys =>
  process.platform === 'darwin' && !accelerator.startsWith('CmdOrCtrl')
    ? {}
    : { accelerator, registerAccelerator: false };

/**
 * Sets the app's native menu.
 *
 * @param push pushes routes and commands to the window
 * @param docs first page of the documentation
 */
export function setMenu(push: PushToWindow, docs: string): void {
  Menu.setApplicationMenu(Menu.buildFromTemplate(toTemplate(push, docs)));
}

function toTemplate(push: PushToWindow, docs: string): MenuItemConstructorOptions[] {
  const mac = process.platform === 'darwin';
  const command = (name: WindowCommand, label: string, keys: Keys = {}): MenuItemConstructorOptions => ({
    label,
    ...keys,
    click: () => push('command', { name }),
  });
  const go = (route: string, label: string, keys: Keys = {}): MenuItemConstructorOptions => ({
    label,
    ...keys,
    click: () => push('navigate', { route }),
  });
  const line: MenuItemConstructorOptions = { type: 'separator' };
  const preferences = go('preferences', 'Preferences…', { accelerator: 'CmdOrCtrl+,' });
  const toScreens = (foot: boolean) =>
    screens
      .filter(({ id }) => footScreens.includes(id) === foot)
      .map(({ id, label, digit }) => go(id, label, shown(`CmdOrCtrl+${digit}`)));
  const development: MenuItemConstructorOptions[] = app.isPackaged
    ? []
    : [line, { role: 'forceReload' }, { role: 'toggleDevTools' }];
  return [
    ...(mac ? [{ role: 'appMenu' } as const] : []),
    {
      label: 'File',
      submenu: [
        go('templates/+new', 'New template…'),
        go('connections/+new', 'Add master…'),
        command('switch master', 'Switch to another master', shown('CmdOrCtrl+Shift+M')),
        line,
        preferences,
        line,
        mac ? { role: 'close' } : { role: 'quit' },
      ],
    },
    {
      label: 'Edit',
      submenu: [
        ...(['undo', 'redo'] as const).map((role) => ({ role })),
        line,
        ...(['cut', 'copy', 'paste', 'selectAll'] as const).map((role) => ({ role })),
        line,
        command('filter', 'Filter what is shown', shown('/')),
        command('palette', 'Search or run a command', shown('CmdOrCtrl+K')),
      ],
    },
    {
      label: 'View',
      submenu: [
        command('refresh', 'Refresh everything', shown('F5')),
        command('navigation', 'Collapse or expand navigation', shown('CmdOrCtrl+B')),
        command('activity', 'Running tasks and messages', shown('CmdOrCtrl+Shift+A')),
        line,
        ...(['resetZoom', 'zoomIn', 'zoomOut'] as const).map((role) => ({ role })),
        line,
        { role: 'togglefullscreen' },
        ...development,
      ],
    },
    {
      label: 'Go',
      submenu: [
        command('back', 'Back', shown('Alt+Left')),
        command('forward', 'Forward', shown('Alt+Right')),
        line,
        ...toScreens(false),
        line,
        ...toScreens(true),
      ],
    },
    ...(mac ? [{ role: 'windowMenu' } as const] : []),
    {
      role: 'help',
      submenu: [
        { label: 'Documentation', click: () => void shell.openPath(docs) },
        command('cheat sheet', 'Keyboard shortcuts', shown('?')),
        line,
        go('about', 'About Overworld'),
      ],
    },
  ];
}
