import { fileURLToPath } from 'node:url';
import { app, BrowserWindow } from 'electron';

/**
 * Minimal Electron app: a window that shows one word. The app stores its files in the folder of the switch
 * `--data=DIR`.
 */
const data = process.argv.find((argument) => argument.startsWith('--data='));
if (data !== undefined) app.setPath('userData', data.slice('--data='.length));
app.on('window-all-closed', () => app.quit());

// Do not await the promise, because Electron becomes ready only after this entry script has ended.
void app.whenReady().then(async () => {
  const window = new BrowserWindow({ width: 1280, height: 800, show: false });
  window.once('ready-to-show', () => window.show());
  await window.loadFile(fileURLToPath(new URL('index.html', import.meta.url)));
});
