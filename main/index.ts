import { resolve } from 'node:path';
import { app } from 'electron';
import { openApp } from './boot/app.ts';
import { appPaths } from './environment/app-paths.ts';
import { createLog } from './environment/log.ts';
import { parseSwitches, type Switches } from './boot/switches.ts';
import { writeToStderr } from './environment/stderr.ts';
import { registerAppScheme } from './window/app-protocol.ts';

/** Exits with a message. May be called only before the app has started anything that must be shut down in order. */
function refuse(sentence: string): void {
  writeToStderr(sentence);
  app.exit(1);
}

function start(switches: Switches): void {
  if (switches.data !== null) app.setPath('userData', resolve(switches.data));
  // The lock is per data folder, because two apps on one folder would both control its master.
  if (!app.requestSingleInstanceLock()) {
    if (switches.screenshot === null) app.exit(0);
    else refuse(`Overworld is already running with ${app.getPath('userData')}. Close it first.`);
    return;
  }
  // Windows shows notifications only for the id of the installed app (`appId` in electron-builder.yml).
  if (process.platform === 'win32') app.setAppUserModelId('overworld.desktop');
  registerAppScheme();
  // Chromium refuses to run as root inside the sandbox, so root starts the app with --no-sandbox.
  if (!app.commandLine.hasSwitch('no-sandbox')) app.enableSandbox();
  const paths = appPaths();
  const log = createLog(paths.logs);
  process.once('uncaughtException', (error) => {
    log.fatal({ err: error }, 'an uncaught error');
    refuse(`Overworld exited because of a bug: ${error.message}. See ${paths.logs}.`);
  });
  log.info({ version: app.getVersion(), electron: process.versions.electron }, 'the app is starting');
  app
    .whenReady()
    .then(() => openApp(paths, switches, log))
    .catch((error: unknown) => {
      log.fatal({ err: error }, 'the app could not start');
      refuse(`Overworld could not start: ${error instanceof Error ? error.message : String(error)}.`);
    });
}

try {
  start(parseSwitches(process.argv.slice(1)));
} catch (error) {
  refuse(error instanceof Error ? error.message : String(error));
}
