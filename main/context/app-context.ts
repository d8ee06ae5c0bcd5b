import type { BrowserWindow } from 'electron';
import type { Connections } from '../connections/connections.ts';
import type { MasterLink } from '../connections/link.ts';
import type { AppPaths } from '../environment/app-paths.ts';
import type { Log } from '../environment/log.ts';
import type { FileServices } from '../files/file-services.ts';
import type { Identity } from '../vault/identity.ts';
import type { SettingsFile } from '../vault/settings.ts';
import type { PushToWindow } from '../window/push.ts';
import type { UnsavedTexts } from '../window/unsaved.ts';

/** The window and what is sent to it. */
export interface WindowContext {
  readonly window: BrowserWindow;
  readonly push: PushToWindow;
  /** What the page has typed and not saved. */
  readonly unsaved: UnsavedTexts;
}

/** What this installation of the app stores, and where. */
export interface InstallationContext {
  readonly settings: SettingsFile;
  readonly identity: Identity;
  readonly paths: AppPaths;
  readonly log: Log;
}

/** The active master and the list of known ones. */
export interface ConnectionContext {
  /** The one link; `link.link.connection` says which master it belongs to now. */
  readonly link: MasterLink;
  readonly connections: Connections;
}

/** Everything that answers the window's requests, created in `boot/app.ts`. */
export interface AppContext extends WindowContext, InstallationContext, ConnectionContext {
  readonly files: FileServices;
}
