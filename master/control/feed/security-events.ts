import type { ActivityEvent, EventKind } from '#shared/model/event.ts';
import type { EntryContent } from '#shared/model/access/security-entry.ts';

/**
 * Kinds of activity log events that also go to the security log: changes of rights, changes of settings, and
 * deletions.
 */
const KINDS: ReadonlySet<string> = new Set<EventKind>([
  'key.added',
  'key.limited',
  'key.removed',
  'config.changed',
  'config.faulty',
  'template.created',
  'template.changed',
  'template.faulty',
  'template.leaving',
  'template.deleted',
  'template.eula-accepted',
  'template.software-changed',
  'template.files-restored',
  'volume.lost',
  'volume.restored',
  'volume.deleted',
  'node.ordered',
  'node.released',
  'node.lost',
  'balancer.adopted',
  'balancer.removed',
  'master.started',
  'master.stopped',
]);

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
    if (!KINDS.has(kind)) return;
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
