import type { ActivityEvent, EventKind } from '#shared/model/event.ts';
import type { Hue } from '../ui/hue.ts';

/** Groups of event kinds offered by the filter of the Activity screen. */
export const eventGroups = [
  { id: 'lifecycle', label: 'Starts and stops' },
  { id: 'trouble', label: 'Problems' },
  { id: 'players', label: 'Players and entry' },
  { id: 'templates', label: 'Templates' },
  { id: 'files', label: 'Files' },
  { id: 'nodes', label: 'Nodes' },
  { id: 'admin', label: 'Master and keys' },
] as const;
export type EventGroup = (typeof eventGroups)[number]['id'];

const kinds: Record<EventKind, { readonly group: EventGroup; readonly hue: Hue }> = {
  'service.requested': { group: 'lifecycle', hue: 'busy' },
  'service.preparing': { group: 'lifecycle', hue: 'busy' },
  'service.starting': { group: 'lifecycle', hue: 'busy' },
  'service.running': { group: 'lifecycle', hue: 'ok' },
  'service.in-use': { group: 'lifecycle', hue: 'ok' },
  'service.stopping': { group: 'lifecycle', hue: 'neutral' },
  'service.stopped': { group: 'lifecycle', hue: 'neutral' },
  'service.failed': { group: 'trouble', hue: 'bad' },
  'service.adopted': { group: 'lifecycle', hue: 'ok' },
  'service.waiting': { group: 'trouble', hue: 'warn' },
  'service.unresponsive': { group: 'trouble', hue: 'bad' },
  'service.command': { group: 'admin', hue: 'neutral' },
  'service.restarting': { group: 'lifecycle', hue: 'busy' },
  'service.retiring': { group: 'lifecycle', hue: 'busy' },
  'service.draining': { group: 'lifecycle', hue: 'busy' },
  'service.staying': { group: 'lifecycle', hue: 'neutral' },
  'service.held': { group: 'lifecycle', hue: 'neutral' },
  'service.put-back': { group: 'lifecycle', hue: 'neutral' },
  'service.plugin-linked': { group: 'players', hue: 'ok' },
  'service.plugin-silent': { group: 'trouble', hue: 'warn' },
  'service.plugin-doubted': { group: 'trouble', hue: 'warn' },
  'volume.saved': { group: 'lifecycle', hue: 'ok' },
  'volume.failed': { group: 'trouble', hue: 'bad' },
  'volume.lost': { group: 'trouble', hue: 'bad' },
  'volume.restored': { group: 'files', hue: 'neutral' },
  'volume.cloned': { group: 'files', hue: 'neutral' },
  'volume.deleted': { group: 'files', hue: 'neutral' },
  'template.created': { group: 'templates', hue: 'ok' },
  'template.changed': { group: 'templates', hue: 'neutral' },
  'template.deleted': { group: 'templates', hue: 'neutral' },
  'template.leaving': { group: 'templates', hue: 'warn' },
  'template.staying': { group: 'templates', hue: 'neutral' },
  'template.eula-accepted': { group: 'templates', hue: 'neutral' },
  'template.software-changed': { group: 'templates', hue: 'neutral' },
  'template.files-restored': { group: 'templates', hue: 'neutral' },
  'template.files-changed': { group: 'templates', hue: 'neutral' },
  'template.faulty': { group: 'trouble', hue: 'bad' },
  'template.held': { group: 'templates', hue: 'neutral' },
  'template.put-back': { group: 'templates', hue: 'neutral' },
  'node.ordered': { group: 'nodes', hue: 'busy' },
  'node.ready': { group: 'nodes', hue: 'ok' },
  'node.cordoned': { group: 'nodes', hue: 'neutral' },
  'node.draining': { group: 'nodes', hue: 'busy' },
  'node.resumed': { group: 'nodes', hue: 'ok' },
  'node.held': { group: 'nodes', hue: 'neutral' },
  'node.put-back': { group: 'nodes', hue: 'neutral' },
  'node.locked': { group: 'nodes', hue: 'neutral' },
  'node.unlocked': { group: 'nodes', hue: 'neutral' },
  'node.leaving': { group: 'nodes', hue: 'busy' },
  'node.released': { group: 'nodes', hue: 'neutral' },
  'node.lost': { group: 'trouble', hue: 'bad' },
  'node.failed': { group: 'trouble', hue: 'bad' },
  'config.changed': { group: 'admin', hue: 'neutral' },
  'config.faulty': { group: 'trouble', hue: 'bad' },
  'backup.done': { group: 'admin', hue: 'ok' },
  'backup.failed': { group: 'trouble', hue: 'bad' },
  'backup.overdue': { group: 'trouble', hue: 'warn' },
  'key.added': { group: 'admin', hue: 'neutral' },
  'key.limited': { group: 'admin', hue: 'neutral' },
  'key.removed': { group: 'admin', hue: 'neutral' },
  'session.ended': { group: 'admin', hue: 'neutral' },
  'files.written': { group: 'files', hue: 'neutral' },
  'files.deleted': { group: 'files', hue: 'neutral' },
  'files.renamed': { group: 'files', hue: 'neutral' },
  'files.copied': { group: 'files', hue: 'neutral' },
  'network.limit-reached': { group: 'trouble', hue: 'warn' },
  'network.limit-left': { group: 'lifecycle', hue: 'ok' },
  'player.refused': { group: 'players', hue: 'warn' },
  'player.let-in': { group: 'players', hue: 'neutral' },
  'player.kicked': { group: 'players', hue: 'neutral' },
  'player.sent': { group: 'players', hue: 'neutral' },
  'balancer.adopted': { group: 'players', hue: 'ok' },
  'balancer.removed': { group: 'players', hue: 'warn' },
  'balancer.trouble': { group: 'trouble', hue: 'bad' },
  'balancer.working': { group: 'players', hue: 'ok' },
  'master.started': { group: 'admin', hue: 'ok' },
  'master.stopped': { group: 'admin', hue: 'neutral' },
  'master.trouble': { group: 'trouble', hue: 'bad' },
};

/** Returns the hue of an event's icon. */
export function toEventHue(kind: ActivityEvent['kind']): Hue {
  return kind === 'other' ? 'neutral' : kinds[kind].hue;
}

/** Returns all kinds of one group, for the master's filter. */
export function kindsOf(group: EventGroup): readonly EventKind[] {
  return (Object.keys(kinds) as EventKind[]).filter((kind) => kinds[kind].group === group);
}

type Happening = Pick<ActivityEvent, 'kind' | 'subject' | 'template'>;

/** Kinds of events after which their subject no longer exists. */
const gone: ReadonlySet<ActivityEvent['kind']> = new Set<EventKind>([
  'template.deleted',
  'service.stopped',
  'node.released',
  'player.kicked',
]);

const placeOf: Record<ActivityEvent['subject']['type'], (of: Happening) => readonly string[] | null> = {
  service: ({ subject }) => ['services', subject.id],
  template: ({ subject }) => ['templates', subject.id],
  file: ({ template }) => (template === null ? ['files'] : ['files', 'templates', template]),
  node: ({ subject }) => ['nodes', subject.id],
  network: () => ['overview'],
  player: ({ subject }) => ['players', subject.id],
  config: ({ kind }) => {
    if (kind.startsWith('balancer.')) return ['overview', 'player-entry'];
    return kind.startsWith('backup.') ? ['configuration', 'backup'] : ['configuration'];
  },
  key: () => null,
  master: () => null,
  other: () => null,
};

/**
 * Returns the route that shows an event's subject. Null if no screen shows the subject, or if the subject no longer
 * exists.
 */
export function toSubjectPlace(event: Happening): readonly string[] | null {
  return gone.has(event.kind) ? null : placeOf[event.subject.type](event);
}
