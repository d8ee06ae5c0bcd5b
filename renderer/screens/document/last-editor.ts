import type { ActivityEvent } from '#shared/model/event.ts';
import { call } from '../../bridge/bridge.ts';

/** Which document: a template by its id, or the master configuration. */
type Subject = ActivityEvent['subject'];

/**
 * Names whoever saved a document last, by the activity log; null where it does not tell.
 */
export async function lastEditor({ type, id }: Subject): Promise<string | null> {
  const kinds = type === 'template' ? (['template.changed'] as const) : (['config.changed'] as const);
  try {
    const [event] = await call('activity.list', { subject: id, kinds: [...kinds], limit: 1 });
    return event?.actor ?? null;
  } catch {
    // The name is only a help: without it the notice says "somebody else".
    return null;
  }
}
