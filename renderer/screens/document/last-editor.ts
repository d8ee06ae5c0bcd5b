import type { ActivityEvent } from '#shared/model/event.ts';
import { call } from '../../bridge/bridge.ts';

/** A document: a template by its id, or the master configuration. */
type Subject = ActivityEvent['subject'];

/** Returns who saved a document last according to the activity log. Null if unknown. */
export async function lastEditor({ type, id }: Subject): Promise<string | null> {
  const kinds = type === 'template' ? (['template.changed'] as const) : (['config.changed'] as const);
  try {
    const [event] = await call('activity.list', { subject: id, kinds: [...kinds], limit: 1 });
    return event?.actor ?? null;
  } catch {
    // The name is optional: without it the notice says "another admin".
    return null;
  }
}
