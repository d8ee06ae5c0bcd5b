import { app, nativeTheme } from 'electron';
import { remember, type SettingsFile } from '../vault/settings.ts';
import type { HandlersOf } from './handlers.ts';

interface AppHandlerOptions {
  readonly settings: SettingsFile;
  readonly dataFolder: string;
  readonly publicKey: string;
}

/** Answers what is about the app itself. */
export function appHandlers({ settings, dataFolder, publicKey }: AppHandlerOptions): HandlersOf<'app'> {
  return {
    'app.info': () => ({
      version: app.getVersion(),
      electron: process.versions.electron,
      chromium: process.versions.chrome,
      node: process.versions.node,
      platform: `${process.platform} ${process.getSystemVersion()} ${process.arch}`,
      unsandboxed: app.commandLine.hasSwitch('no-sandbox'),
      dataFolder,
      publicKey,
    }),
    'app.theme': () => nativeTheme.themeSource,
    'app.setTheme': async ({ theme }) => {
      nativeTheme.themeSource = theme;
      await settings.update({ theme });
      return {};
    },
    'app.memory': () => settings.data.memory,
    'app.remember': async ({ key, value }) => {
      await settings.update({ memory: remember(settings.data.memory, key, value) });
      return {};
    },
  };
}
