import { fileURLToPath } from 'node:url';
import { app, BrowserWindow } from 'electron';

/** The least an Electron app can be: a window with a word in it. Keeps its files in `--data=DIR`. */
const data = process.argv.find((argument) => argument.startsWith('--data='));
if (data !== undefined) app.setPath('userData', data.slice('--data='.length));
app.on('window-all-closed', () => app.quit());

// Not awaited here: Electron gets ready only once its entry has been read to the end.
void app.whenReady().then(async () => {
  const window = new BrowserWindow({ width: 1280, height: 800, show: false });
  window.once('ready-to-show', () => window.show());
  await window.loadFile(fileURLToPath(new URL('index.html', import.meta.url)));
});
