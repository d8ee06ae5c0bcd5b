import { hostname, userInfo } from 'node:os';
import { VERSION } from '#shared/version.ts';
import type { Connections } from '../connections/connections.ts';
import type { Log } from '../environment/log.ts';
import type { AppIdentity } from '../vault/identity.ts';
import type { SettingsFile } from '../vault/settings.ts';
import type { Ask } from '../window/ask.ts';
import type { PushToWindow } from '../window/push.ts';
import { InstallJobs } from './jobs.ts';
import { KnownMasters } from './known-masters.ts';
import { buildFrom } from './package/build-package.ts';
import { findAgent } from './server/agent.ts';
import { KeyFiles } from './server/key-files.ts';
import { knownHostsFiles, readKnownHosts } from './server/known-hosts.ts';

interface InstallsOptions {
  readonly settings: SettingsFile;
  readonly connections: Connections;
  readonly identity: AppIdentity;
  readonly ask: Ask;
  readonly push: PushToWindow;
  readonly log: Log;
  /** Folder with the packages of the master. */
  readonly packages: string;
  /** Root folder of the checkout that the app runs from. Null if the app is packaged. */
  readonly checkout: string | null;
}

/** Creates the part that installs and updates masters on servers. */
export function openInstalls(options: InstallsOptions): InstallJobs {
  const { settings, connections, identity, ask, push, log, packages, checkout } = options;
  const masters = new KnownMasters(settings, connections);
  const keyFiles = new KeyFiles({ remembered: () => masters.keyPaths() });
  // npm sets this variable to the path of its own Node.js, which may not be in PATH.
  const node = process.env['npm_node_execpath'] ?? 'node';
  return new InstallJobs({
    keyFiles,
    log,
    parts: {
      version: VERSION,
      identity,
      masters,
      ask,
      ownerName: ownerName(),
      packages: { folder: packages, build: checkout === null ? null : buildFrom(checkout, node) },
      logins: { keyFiles, agent: () => findAgent() },
      knownHostKeys: (address) => readKnownHosts(address, knownHostsFiles()),
    },
    onChange: (job) => push('install', job),
  });
}

/** Returns the name that this app's key gets on a new master: `anna@laptop`. */
function ownerName(): string {
  const name = `${userInfo().username}@${hostname()}`;
  return name.replace(/[^\x21-\x7e]/g, '-').slice(0, 64);
}
