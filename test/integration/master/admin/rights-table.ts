import type { FileViewName } from '#shared/model/file-views.ts';
import type { Role } from '#shared/model/access/role.ts';
import type { MethodName } from '#shared/rpc/contract.ts';
import { PUT_FILE } from '#shared/sftp/put-file.ts';
import type { SftpAttempt } from '#test/support/files/sftp-attempts.ts';

/**
 * The rights of each role, written by hand (docs/master-config.md#access). `rights.test.ts` and
 * `limited-rights.test.ts` try each right.
 */

/** Lowest role that may call each method. The role `files` and unknown keys may call no methods. */
export const lowestRole: Readonly<Record<MethodName, Exclude<Role, 'files'>>> = {
  'master.info': 'viewer',
  'master.readiness': 'viewer',
  'master.shutdown': 'owner',
  'config.get': 'viewer',
  'config.text': 'owner',
  'config.update': 'owner',
  'config.freePort': 'owner',
  'templates.list': 'viewer',
  'templates.text': 'operator',
  'templates.create': 'operator',
  'templates.createAll': 'operator',
  'templates.update': 'operator',
  'templates.duplicate': 'operator',
  'templates.restart': 'operator',
  'templates.revisions': 'viewer',
  'templates.compareRevisions': 'viewer',
  'templates.restoreRevision': 'operator',
  'templates.delete': 'operator',
  'templates.cancelDelete': 'operator',
  'templates.hold': 'operator',
  'software.list': 'viewer',
  'software.versions': 'viewer',
  'software.builds': 'viewer',
  'software.download': 'operator',
  'software.install': 'operator',
  'software.updates': 'viewer',
  'services.list': 'viewer',
  'services.hold': 'operator',
  'services.failureLog': 'viewer',
  'services.start': 'operator',
  'services.stop': 'operator',
  'services.drain': 'operator',
  'services.cancelDrain': 'operator',
  'services.restart': 'operator',
  'services.command': 'operator',
  'services.followLog': 'viewer',
  'services.unfollowLog': 'viewer',
  'services.readLog': 'viewer',
  'services.searchLog': 'viewer',
  'volumes.list': 'viewer',
  'volumes.saves': 'viewer',
  'volumes.compare': 'viewer',
  'volumes.save': 'operator',
  'volumes.restore': 'operator',
  'volumes.delete': 'operator',
  'volumes.clone': 'operator',
  'volumes.import': 'owner',
  'volumes.attach': 'operator',
  'services.listFiles': 'viewer',
  'services.readFile': 'viewer',
  'services.keepCopy': 'operator',
  'services.copyToTemplate': 'operator',
  'services.keptFiles': 'viewer',
  'services.readKeptFile': 'viewer',
  'nodes.list': 'viewer',
  'nodes.provider': 'viewer',
  'nodes.hold': 'operator',
  'nodes.lock': 'operator',
  'nodes.schedule': 'operator',
  'nodes.foreign': 'viewer',
  'nodes.deleteForeign': 'owner',
  'provider.test': 'owner',
  'provider.preview': 'owner',
  'wayIn.get': 'viewer',
  'balancer.adopt': 'owner',
  'balancer.remove': 'owner',
  'players.list': 'viewer',
  'players.kick': 'operator',
  'players.send': 'operator',
  'plan.preview': 'viewer',
  'plan.noOrder': 'viewer',
  'activity.list': 'viewer',
  'history.get': 'viewer',
  'costs.get': 'viewer',
  'files.manifest': 'viewer',
  'files.search': 'viewer',
  'files.copy': 'operator',
  'files.cancel': 'viewer',
  'keys.list': 'owner',
  'keys.add': 'owner',
  'keys.limit': 'owner',
  'keys.remove': 'owner',
  // Only an owner can list and end sessions of other keys (sessions.test.ts).
  'sessions.list': 'viewer',
  'sessions.end': 'viewer',
  'backup.get': 'viewer',
  'security.list': 'owner',
  'security.verify': 'owner',
};

/**
 * Methods that an operator may call whose key is limited to templates. `own`: only for templates of the limit.
 * `everyone`: like all other operators. `none`: never.
 */
export const limitedReach: Readonly<Record<MethodName, 'own' | 'everyone' | 'none'>> = {
  'master.info': 'everyone',
  'master.readiness': 'everyone',
  'master.shutdown': 'none',
  'config.get': 'everyone',
  'config.text': 'none',
  'config.update': 'none',
  'config.freePort': 'none',
  'templates.list': 'everyone',
  'templates.text': 'own',
  'templates.create': 'own',
  'templates.createAll': 'own',
  'templates.update': 'own',
  'templates.duplicate': 'own',
  'templates.restart': 'own',
  'templates.revisions': 'own',
  'templates.compareRevisions': 'own',
  'templates.restoreRevision': 'own',
  'templates.delete': 'own',
  'templates.cancelDelete': 'own',
  'templates.hold': 'own',
  'software.list': 'everyone',
  'software.versions': 'everyone',
  'software.builds': 'everyone',
  'software.download': 'everyone',
  'software.install': 'own',
  'software.updates': 'everyone',
  'services.list': 'everyone',
  'services.hold': 'own',
  'services.failureLog': 'own',
  'services.start': 'own',
  'services.stop': 'own',
  'services.drain': 'own',
  'services.cancelDrain': 'own',
  'services.restart': 'own',
  'services.command': 'own',
  'services.followLog': 'own',
  'services.unfollowLog': 'own',
  'services.readLog': 'own',
  'services.searchLog': 'own',
  'volumes.list': 'everyone',
  'volumes.saves': 'own',
  'volumes.compare': 'own',
  'volumes.save': 'own',
  'volumes.restore': 'own',
  'volumes.delete': 'own',
  'volumes.clone': 'own',
  'volumes.import': 'none',
  'volumes.attach': 'own',
  'services.listFiles': 'own',
  'services.readFile': 'own',
  'services.keepCopy': 'none',
  'services.copyToTemplate': 'own',
  'services.keptFiles': 'own',
  'services.readKeptFile': 'own',
  'nodes.list': 'everyone',
  'nodes.provider': 'everyone',
  'nodes.foreign': 'everyone',
  'nodes.deleteForeign': 'none',
  'provider.test': 'none',
  'provider.preview': 'none',
  'nodes.hold': 'none',
  'nodes.lock': 'none',
  'nodes.schedule': 'none',
  'wayIn.get': 'everyone',
  'balancer.adopt': 'none',
  'balancer.remove': 'none',
  'players.list': 'everyone',
  'players.kick': 'none',
  'players.send': 'none',
  'plan.preview': 'own',
  'plan.noOrder': 'everyone',
  'activity.list': 'everyone',
  'history.get': 'everyone',
  'costs.get': 'everyone',
  'files.manifest': 'own',
  'files.search': 'own',
  'files.copy': 'own',
  'files.cancel': 'everyone',
  'security.list': 'none',
  'security.verify': 'none',
  'keys.list': 'none',
  'keys.add': 'none',
  'keys.limit': 'none',
  'keys.remove': 'none',
  'sessions.list': 'everyone',
  'sessions.end': 'everyone',
  'backup.get': 'everyone',
};

/** Roles that may send a request over SFTP. Unknown keys may send no request. */
export const everyone: readonly Role[] = ['files', 'viewer', 'operator', 'owner'];
export const allButViewers: readonly Role[] = ['files', 'operator', 'owner'];
/**
 * Right to read contents of files. Viewers have this right only if an owner allows it (`access.viewers_read_files`).
 */
export const readers = 'readers';
const none: readonly Role[] = [];

export const mayDo: Readonly<Record<SftpAttempt, readonly Role[] | typeof readers>> = {
  'OPEN for reading': readers,
  'OPEN without flags': readers,
  'OPEN of a link for reading': readers,
  'OPEN for writing': allButViewers,
  'OPEN for reading and writing': allButViewers,
  'OPEN for appending': allButViewers,
  'OPEN that creates': allButViewers,
  'OPEN that creates a new file': allButViewers,
  'OPEN that truncates': allButViewers,
  CLOSE: everyone,
  READ: readers,
  WRITE: allButViewers,
  LSTAT: everyone,
  'FSTAT of a folder': everyone,
  SETSTAT: allButViewers,
  FSETSTAT: allButViewers,
  OPENDIR: everyone,
  READDIR: everyone,
  REMOVE: allButViewers,
  MKDIR: allButViewers,
  RMDIR: allButViewers,
  REALPATH: everyone,
  STAT: everyone,
  RENAME: allButViewers,
  READLINK: everyone,
  SYMLINK: none,
  'posix-rename@openssh.com': allButViewers,
  'statvfs@openssh.com': everyone,
  'fsync@openssh.com': allButViewers,
  'limits@openssh.com': everyone,
  'hardlink@openssh.com': none,
  'copy-data': allButViewers,
  'check-file': readers,
  'check-file-handle': readers,
  'check-file-name': readers,
  [PUT_FILE]: allButViewers,
};

/**
 * Requests on files of services and volumes that are allowed for the same roles as elsewhere. Files of services are
 * read-only for all roles.
 */
const inViews = [
  ...[
    'OPEN for reading',
    'OPEN without flags',
    'CLOSE',
    'READ',
    'LSTAT',
    'FSTAT of a folder',
    'OPENDIR',
    'READDIR',
  ],
  ...['REALPATH', 'STAT', 'statvfs@openssh.com', 'limits@openssh.com'],
];

/** Requests that change an unused volume. Files that are open for reading cannot be changed, copied or hashed. */
const inFreeVolumes = [
  ...['OPEN for writing', 'OPEN for reading and writing', 'OPEN for appending', 'OPEN that creates'],
  ...['OPEN that creates a new file', 'OPEN that truncates', 'WRITE', 'SETSTAT', 'REMOVE', 'MKDIR', 'RMDIR'],
  ...['RENAME', 'posix-rename@openssh.com', 'fsync@openssh.com', PUT_FILE],
];

/** Returns whether a request changes an unused volume. */
export function changesVolume(attempt: SftpAttempt): boolean {
  return inFreeVolumes.includes(attempt);
}

/**
 * Returns the roles that may send a request over SFTP on a file of a service or a volume. The master does not follow
 * links of services. Saves contain no links.
 *
 * @param view.free whether no service uses the volume
 */
export function mayDoInView(
  view: { readonly name: FileViewName; readonly free: boolean },
  attempt: SftpAttempt,
): readonly Role[] | typeof readers {
  if (attempt === 'OPEN of a link for reading') return view.name === 'volumes' ? readers : none;
  if (view.name === 'volumes' && view.free && changesVolume(attempt)) return mayDo[attempt];
  return inViews.includes(attempt) ? mayDo[attempt] : none;
}
