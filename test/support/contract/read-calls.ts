import { randomUUID } from 'node:crypto';
import type { MethodName, Params } from '#shared/rpc/contract.ts';

const document = { folder: '/', task: randomUUID() };
const log = { id: 'lobby-1', from: 0, limit: 100 };

/**
 * Methods of the admin API that only read and that viewers may call, with parameters. {@link otherViewerMethods}
 * lists the exceptions.
 */
export const readCalls: { readonly [M in MethodName]?: Params<M> } = {
  'master.info': {},
  'master.readiness': {},
  'config.get': {},
  'templates.list': {},
  'templates.revisions': { id: 'lobby' },
  'services.list': {},
  'services.failureLog': { id: 'lobby-1' },
  'services.readLog': log,
  'services.searchLog': { id: 'lobby-1', text: 'x', caseSensitive: false, limit: 10 },
  'services.keptFiles': { id: 'lobby-1' },
  'software.list': {},
  'software.updates': {},
  'volumes.list': {},
  'nodes.list': {},
  'nodes.provider': {},
  'nodes.foreign': {},
  'wayIn.get': {},
  'players.list': {},
  'plan.preview': {},
  'plan.noOrder': {},
  'activity.list': { limit: 500 },
  'history.get': { range: '1h' },
  'costs.get': {},
  'files.manifest': { ...document, hashes: true },
  'files.search': { ...document, name: '*', text: null, caseSensitive: false, limit: 100 },
  'keys.list': {},
  'sessions.list': {},
  'backup.get': {},
};

/**
 * Methods for viewers that {@link readCalls} does not contain. They affect or end a connection, send a request to a
 * publisher, or need something that the network may not have. Examples are a running service, a volume, or two
 * revisions to compare.
 */
export const otherViewerMethods: readonly MethodName[] = [
  'sessions.end',
  'services.followLog',
  'services.unfollowLog',
  'files.cancel',
  'templates.compareRevisions',
  'services.listFiles',
  'services.readFile',
  'services.readKeptFile',
  'software.versions',
  'software.builds',
  'volumes.saves',
  'volumes.compare',
];
