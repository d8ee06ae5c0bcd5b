import { app, clipboard, nativeTheme, shell } from 'electron';
import { EULA_URL } from '#shared/model/software.ts';
import type { Preferences } from '#shared/ipc/contract.ts';
import type { AppContext, InstallationContext, WindowContext } from '../context/app-context.ts';
import { remember, type SettingsFile } from '../vault/settings.ts';
import type { HandlersOf } from './handlers.ts';

/** Returns the handlers of requests about the app itself. */
export function appHandlers({
  settings,
  paths,
  identity,
  push,
  files,
  unsaved,
}: InstallationContext & WindowContext & Pick<AppContext, 'files'>): HandlersOf<'app'> {
  return {
    'app.info': () => ({
      version: app.getVersion(),
      electron: process.versions.electron,
      chromium: process.versions.chrome,
      node: process.versions.node,
      platform: `${process.platform} ${process.getSystemVersion()} ${process.arch}`,
      unsandboxed: app.commandLine.hasSwitch('no-sandbox'),
      dataFolder: paths.userData,
      publicKey: identity.publicKey,
    }),
    'app.preferences': () => preferencesOf(settings),
    'app.setPreferences': async (change) => {
      if (change.theme !== undefined) nativeTheme.themeSource = change.theme;
      const written = settings.update(withoutUndefined(change));
      const preferences = preferencesOf(settings);
      files.transfers.setLimit(preferences.parallelTransfers);
      push('preferences', preferences);
      await written;
      return preferences;
    },
    'app.openEula': async () => {
      await shell.openExternal(EULA_URL);
      return {};
    },
    'app.copyText': async ({ text }) => {
      await clipboard.writeText(text);
      return {};
    },
    'app.memory': () => settings.data.memory,
    'app.remember': async ({ key, value }) => {
      await settings.update({ memory: remember(settings.data.memory, key, value) });
      return {};
    },
    'app.unsaved': ({ names }) => {
      unsaved.update(names);
      return {};
    },
  };
}

function preferencesOf({ data }: SettingsFile): Preferences {
  const { theme, density, notifications, closeToTray, onQuit, parallelTransfers } = data;
  return { theme, density, notifications, closeToTray, onQuit, parallelTransfers };
}

/** Removes keys whose value is undefined, so that a partial change does not overwrite stored settings. */
function withoutUndefined<T extends object>(change: T): { [K in keyof T]: Exclude<T[K], undefined> } {
  // Only keys with a value are left, so the result has the declared type.
  return Object.fromEntries(Object.entries(change).filter(([, value]) => value !== undefined)) as never;
}
