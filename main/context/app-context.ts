import type { BrowserWindow } from 'electron';
import type { Connections } from '../connections/connections.ts';
import type { MasterLink } from '../connections/link.ts';
import type { AppPaths } from '../environment/app-paths.ts';
import type { Log } from '../environment/log.ts';
import type { FileServices } from '../files/file-services.ts';
import type { InstallJobs } from '../install/jobs.ts';
import type { AppIdentity } from '../vault/identity.ts';
import type { SettingsFile } from '../vault/settings.ts';
import type { PushToWindow } from '../window/push.ts';
import type { UnsavedTexts } from '../window/unsaved.ts';

/** The window, and functions and data that belong to it. */
export interface WindowContext {
  readonly window: BrowserWindow;
  readonly push: PushToWindow;
  /** Texts that the page has not saved. */
  readonly unsaved: UnsavedTexts;
}

/** What this installation of the app stores, and where. */
export interface InstallationContext {
  readonly settings: SettingsFile;
  readonly identity: AppIdentity;
  readonly paths: AppPaths;
  readonly log: Log;
}

/** The link to the active master, and the list of known masters. */
export interface ConnectionContext {
  /** The app's only link. `link.link.connection` is the id of the connection that the link belongs to now. */
  readonly link: MasterLink;
  readonly connections: Connections;
}

/** All parts that respond to the window's requests. Created in `boot/app.ts`. */
export interface AppContext extends WindowContext, InstallationContext, ConnectionContext {
  readonly files: FileServices;
  /** Installations and updates of masters on servers. */
  readonly installs: InstallJobs;
}
