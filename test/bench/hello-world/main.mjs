import { fileURLToPath } from 'node:url';
import { app, BrowserWindow } from 'electron';

/** A minimal Electron app: a window with one word. Stores its files in `--data=DIR`. */
const data = process.argv.find((argument) => argument.startsWith('--data='));
if (data !== undefined) app.setPath('userData', data.slice('--data='.length));
app.on('window-all-closed', () => app.quit());

// Not awaited, because Electron becomes ready only after its entry script has been read completely.
void app.whenReady().then(async () => {
  const window = new BrowserWindow({ width: 1280, height: 800, show: false });
  window.once('ready-to-show', () => window.show());
  await window.loadFile(fileURLToPath(new URL('index.html', import.meta.url)));
});
