import type { BrowserWindow } from 'electron';
import type { AppPaths } from './app-paths.ts';
import type { Connections } from './connections/connections.ts';
import type { MasterLink } from './connections/link.ts';
import type { Identity } from './connections/ssh.ts';
import type { FilesSide } from './files-side.ts';
import type { Log } from './log.ts';
import type { UnsavedTexts } from './quit/unsaved.ts';
import type { Tell } from './tell.ts';
import type { SettingsFile } from './vault/settings.ts';

/** The parts of the app that handle the window's requests. Created in `app.ts`. */
export interface Parts {
  readonly window: BrowserWindow;
  readonly tell: Tell;
  readonly log: Log;
  readonly paths: AppPaths;
  readonly settings: SettingsFile;
  readonly identity: Identity;
  /** The only link. `link.link.connection` is the connection that it belongs to now. */
  readonly link: MasterLink;
  readonly connections: Connections;
  readonly filesSide: FilesSide;
  /** Unsaved texts of the page. */
  readonly unsaved: UnsavedTexts;
}
