import type { EventKind } from '#shared/model/event.ts';
import type { EventLog } from '#master/store/event-log.ts';
import type { ServiceRecord } from './records.ts';

/** The actor of all that the master's own rules do. */
export const OVERWORLD = 'overworld';

/** What happened to a service, and why. */
export interface Happening {
  readonly kind: Extract<EventKind, `service.${string}`>;
  readonly message: string;
  /** By default what the service was requested for. */
  readonly cause?: string;
  readonly actor?: string;
}

/** Writes an event about a service to the activity log. */
export function tell(events: EventLog, record: ServiceRecord, happening: Happening): void {
  const { kind, message, cause = record.cause, actor = OVERWORLD } = happening;
  events.add({
    kind,
    subject: { type: 'service', id: record.id },
    template: record.template,
    actor,
    message,
    cause,
  });
}

/** Writes an event about the master itself that keeps it from doing its work. */
export function tellTrouble(events: EventLog, cause: string): void {
  events.add({
    kind: 'master.trouble',
    subject: { type: 'master', id: 'master' },
    template: null,
    actor: OVERWORLD,
    message: 'The master cannot start services at the moment; it tries again every second',
    cause,
  });
}
