import { fileURLToPath } from 'node:url';
import { app, BrowserWindow } from 'electron';

/** A minimal Electron app: a window that shows one word. It stores its files in `--data=DIR`. */
const data = process.argv.find((argument) => argument.startsWith('--data='));
if (data !== undefined) app.setPath('userData', data.slice('--data='.length));
app.on('window-all-closed', () => app.quit());

// The promise is not awaited, because Electron becomes ready only after this entry script has been read completely.
void app.whenReady().then(async () => {
  const window = new BrowserWindow({ width: 1280, height: 800, show: false });
  window.once('ready-to-show', () => window.show());
  await window.loadFile(fileURLToPath(new URL('index.html', import.meta.url)));
});
