import type { ActivityEvent, EventKind } from '#shared/model/event.ts';
import type { EntryContent } from '#shared/model/access/security-entry.ts';
import type { MethodName } from '#shared/rpc/contract.ts';

/**
 * Kinds of activity log events that also go to the security log: changes of rights, changes of settings, and
 * deletions. Each kind has the methods of the admin API that add such an event before they answer. These answers wait
 * until the entry is on disk (boot/acknowledge.ts). A kind without methods has other causes only: the master's rules,
 * files that people edit, or work that a method leaves to the control loop.
 */
export const recordedKinds = {
  'key.added': ['keys.add'],
  'key.limited': ['keys.limit'],
  'key.removed': ['keys.remove'],
  'session.ended': ['sessions.end'],
  'config.changed': ['config.update'],
  'config.faulty': [],
  'template.created': ['templates.create', 'templates.createAll', 'templates.duplicate'],
  'template.changed': ['templates.update'],
  'template.faulty': [],
  'template.leaving': ['templates.delete'],
  'template.deleted': ['templates.delete'],
  'template.eula-accepted': ['templates.createAll', 'software.install'],
  'template.software-changed': ['software.install'],
  'template.files-restored': ['templates.restoreRevision'],
  'volume.lost': ['volumes.attach'],
  'volume.restored': ['volumes.restore', 'volumes.import'],
  'volume.deleted': ['volumes.delete'],
  'node.ordered': [],
  // `nodes.schedule` only stores the request. A later round of the control loop releases the node.
  'node.released': ['nodes.deleteForeign'],
  'node.lost': [],
  'balancer.adopted': ['balancer.adopt'],
  'balancer.removed': ['balancer.remove'],
  'master.started': [],
  // `master.shutdown` answers before the master stops.
  'master.stopped': [],
} as const satisfies Partial<Record<EventKind, readonly MethodName[]>>;

interface Recorded {
  readonly events: { onAdd(listener: (event: ActivityEvent) => void): () => void };
  readonly log: { add(entry: EntryContent): void };
  /** Returns the provider's API token that is in use. */
  readonly token: () => string;
}

/**
 * Writes each new security event of the activity log to the security log. Writes a further entry if a change of the
 * configuration has replaced the provider's API token.
 *
 * @returns a function that stops the recording
 */
export function recordSecurityEvents({ events, log, token }: Recorded): () => void {
  let known = token();
  return events.onAdd(({ kind, subject, actor, message, cause }) => {
    if (!Object.hasOwn(recordedKinds, kind)) return;
    log.add({ kind, actor, message, cause, subject: `${subject.type} ${subject.id}` });
    const current = token();
    if (!kind.startsWith('config.') || current === known) return;
    known = current;
    const replaced = "The provider's API token was replaced";
    log.add({
      kind: 'token.changed',
      actor,
      message: replaced,
      cause: 'the master configuration was changed',
    });
  });
}
