import type { z } from 'zod';
import type { ActivityEvent, EventKind } from '../model/event.ts';
import { permits, type KeyRights } from '../model/access/role.ts';
import { templateOfService } from '../model/service-id.ts';
import {
  includesPath,
  includesTemplate,
  limitWords,
  type TemplateLimit,
} from '../model/access/template-limit.ts';
import { templateOfVolume } from '../model/volume.ts';
import { methods, type MethodName } from './contract.ts';

/** A template or path that a call concerns. */
export type Concern = { readonly template: string } | { readonly path: string };

/**
 * Reach of a method: the templates and paths that a call concerns. The reach determines whether a key with a limit
 * may make the call (docs/master-config.md#templates-of-a-key). `everyone`: the method shows only data that every
 * viewer sees, or concerns only the caller's own tasks and sessions. `network`: the method changes or reveals more
 * than templates, so no limited key may call it. A function returns what a call concerns; the key's limit must
 * include all of it.
 */
type Reach<M extends MethodName> =
  'everyone' | 'network' | ((params: z.output<(typeof methods)[M]['params']>) => readonly Concern[]);

const template = ({ id }: { readonly id: string }): readonly Concern[] => [{ template: id }];
const service = ({ id }: { readonly id: string }): readonly Concern[] => [
  { template: templateOfService(id) },
];
const volume = ({ id }: { readonly id: string }): readonly Concern[] => [{ template: templateOfVolume(id) }];
const folder = ({ folder: path }: { readonly folder: string }): readonly Concern[] => [{ path }];

/** The reach of each method. A method without an entry does not compile. */
export const reachOf: { readonly [M in MethodName]: Reach<M> } = {
  'master.info': 'everyone',
  'master.readiness': 'everyone',
  'master.shutdown': 'network',
  'config.get': 'everyone',
  'config.text': 'network',
  'config.update': 'network',
  'config.freePort': 'network',
  'templates.list': 'everyone',
  'templates.text': template,
  'templates.create': template,
  'templates.createAll': ({ templates }) => templates.map(({ id }) => ({ template: id })),
  'templates.update': template,
  'templates.duplicate': ({ from, to }) => [{ template: from }, { template: to }],
  'templates.restart': template,
  'templates.revisions': template,
  'templates.compareRevisions': template,
  'templates.restoreRevision': template,
  'templates.delete': template,
  'templates.cancelDelete': template,
  'templates.hold': template,
  'software.list': 'everyone',
  'software.versions': 'everyone',
  'software.builds': 'everyone',
  // The method only fills the master's cache, whose size is limited.
  'software.download': 'everyone',
  'software.install': template,
  'software.updates': 'everyone',
  'services.list': 'everyone',
  'services.hold': service,
  'services.failureLog': service,
  'services.start': ({ template: id }) => [{ template: id }],
  'services.stop': service,
  'services.drain': service,
  'services.cancelDrain': service,
  'services.restart': service,
  'services.command': service,
  'services.followLog': service,
  'services.unfollowLog': service,
  'services.readLog': service,
  'services.searchLog': service,
  'volumes.list': 'everyone',
  'volumes.saves': volume,
  'volumes.compare': volume,
  'volumes.save': volume,
  'volumes.restore': volume,
  'volumes.delete': volume,
  'volumes.clone': ({ from, to }) => [
    { template: templateOfVolume(from) },
    { template: templateOfVolume(to) },
  ],
  'volumes.import': 'network',
  'volumes.attach': volume,
  'services.listFiles': service,
  'services.readFile': service,
  // The copy is stored in the shared files, which a limited key cannot see.
  'services.keepCopy': 'network',
  'services.copyToTemplate': service,
  'services.keptFiles': service,
  'services.readKeptFile': service,
  'nodes.list': 'everyone',
  'nodes.provider': 'everyone',
  'nodes.foreign': 'everyone',
  'nodes.deleteForeign': 'network',
  'nodes.hold': 'network',
  'nodes.lock': 'network',
  'nodes.schedule': 'network',
  'provider.test': 'network',
  'provider.preview': 'network',
  'wayIn.get': 'everyone',
  'balancer.adopt': 'network',
  'balancer.remove': 'network',
  'players.list': 'everyone',
  'players.kick': 'network',
  // The method also moves the player away from another service, which may belong to any template.
  'players.send': 'network',
  'plan.preview': ({ template: edited }) => (edited === undefined ? [] : [{ template: edited.id }]),
  'plan.noOrder': 'everyone',
  // The handler leaves out the events that `showsEvent` hides.
  'activity.list': 'everyone',
  'history.get': 'everyone',
  'costs.get': 'everyone',
  // The jail also checks the real paths, and shows only the templates of the limit (master/files/sftp/jail).
  'files.manifest': folder,
  'files.search': folder,
  'files.copy': ({ paths, folder: target }) => [...paths, target].map((path) => ({ path })),
  'files.cancel': 'everyone',
  'security.list': 'network',
  'security.verify': 'network',
  'keys.list': 'network',
  'keys.add': 'network',
  'keys.limit': 'network',
  'keys.remove': 'network',
  // Only an owner gets and ends sessions of other keys.
  'sessions.list': 'everyone',
  'sessions.end': 'everyone',
  'backup.get': 'everyone',
};

/**
 * Returns what a key lacks for every call of a method, whatever the parameters: a role, or access to all templates.
 * Null if the key lacks neither. In this case, {@link missingForCall} decides about each call.
 */
export function missingForMethod({ role, templates }: KeyRights, method: MethodName): string | null {
  const { role: needs } = methods[method];
  if (!permits(role, needs)) return needs;
  if (templates === null || reachOf[method] !== 'network') return null;
  return `a key for all templates, and yours is only for ${limitWords(templates)}`;
}

/**
 * Decides whether a key may make a call. No other code makes this decision.
 *
 * @param params parameters, parsed by the schema of the method
 * @returns what the key lacks, as text to follow the word "needs"; null if the key may make the call
 */
export function missingForCall<M extends MethodName>(
  key: KeyRights,
  method: M,
  params: z.output<(typeof methods)[M]['params']>,
): string | null {
  const missing = missingForMethod(key, method);
  const { templates } = key;
  if (missing !== null || templates === null) return missing;
  const reach: Reach<M> = reachOf[method];
  if (typeof reach === 'string') return null;
  const outside = reach(params).find((one) =>
    'template' in one ? !includesTemplate(templates, one.template) : !includesPath(templates, one.path),
  );
  if (outside === undefined) return null;
  const what = 'template' in outside ? `the template ${outside.template}` : outside.path;
  return `a key for ${what}, and yours is only for ${limitWords(templates)}`;
}

/** Kinds of events that quote console commands or name files, also in the reason of a failure. */
const QUOTING: ReadonlySet<string> = new Set<EventKind>([
  'service.command',
  'files.written',
  'files.deleted',
  'files.renamed',
  'files.copied',
  'backup.done',
  'backup.failed',
  'volume.failed',
]);

/**
 * Returns whether a key with this limit may see an event. If the event may quote console commands or name files, the
 * key may see it only if the event belongs to one of the key's templates.
 */
export function showsEvent(limit: TemplateLimit, event: Pick<ActivityEvent, 'kind' | 'template'>): boolean {
  if (limit === null || !QUOTING.has(event.kind)) return true;
  return event.template !== null && includesTemplate(limit, event.template);
}
