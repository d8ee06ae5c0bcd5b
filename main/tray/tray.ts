import { app, Menu, nativeImage, Tray, type BrowserWindow } from 'electron';
import icon from '../../build/icons/32x32.png?inline';
import icon2x from '../../build/icons/64x64.png?inline';
import type { Log } from '../environment/log.ts';
import { showWindow } from '../window/show.ts';
import { whyNoTray } from './available.ts';

/** The app's icon in the system's tray. */
export interface AppTray {
  /** Sets the line that describes the network. */
  setLine(line: string): void;
}

/** Creates the tray icon. If the system has no tray, logs the reason and returns null. */
export async function openTray(window: BrowserWindow, log: Log): Promise<AppTray | null> {
  const why = await whyNoTray(process.platform, process.env);
  if (why !== null || window.isDestroyed()) {
    log.info({ why }, 'no tray icon; closing the window quits');
    return null;
  }
  const image = nativeImage.createFromDataURL(icon);
  image.addRepresentation({ scaleFactor: 2, dataURL: icon2x });
  const tray = new Tray(image);
  const show = () => showWindow(window);
  const setLine = (line: string) => {
    tray.setToolTip(`Overworld: ${line}`);
    tray.setContextMenu(
      Menu.buildFromTemplate([
        { label: line, enabled: false },
        { type: 'separator' },
        { label: 'Show Overworld', click: show },
        { label: 'Quit', click: () => app.quit() },
      ]),
    );
  };
  setLine('starting');
  // On macOS, a click opens the menu.
  if (process.platform !== 'darwin') tray.on('click', show);
  return { setLine };
}
