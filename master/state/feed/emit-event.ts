import type { EventKind } from '#shared/model/event.ts';
import type { Unmet } from '#shared/model/wait.ts';
import type { EventLog } from '#master/store/event-log.ts';
import type { ServiceRecord } from '../services/records.ts';

/** Actor of all events that the master's own rules cause. */
export const OVERWORLD = 'overworld';

/** Actor of edits that were made directly in a file on the server and not through the admin API. */
export const BY_HAND = 'someone with an editor';

/** Returns the actor of what a proxy has asked for in game. @param proxy id of the proxy's service */
export function proxyActor(proxy: string): string {
  return `proxy ${proxy}`;
}

/** An event about a service: its kind, message and cause. */
export interface ServiceEvent {
  readonly kind: Extract<EventKind, `service.${string}`>;
  readonly message: string;
  /** Reason for the event. Defaults to the cause of the service's request. */
  readonly cause?: string;
  readonly actor?: string;
}

/** Writes an event about a service to the activity log. */
export function emitServiceEvent(events: EventLog, record: ServiceRecord, happening: ServiceEvent): void {
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

/** An event about a node: its kind, message and cause. */
export interface NodeEvent {
  readonly kind: Extract<EventKind, `node.${string}`>;
  readonly message: string;
  readonly cause: string;
  readonly actor?: string;
}

/** Writes an event about a node to the activity log. */
export function emitNodeEvent(events: EventLog, node: string, happening: NodeEvent): void {
  const { kind, message, cause, actor = OVERWORLD } = happening;
  events.add({ kind, subject: { type: 'node', id: node }, template: null, actor, message, cause });
}

/** Writes an event about a template to the activity log. */
export function emitTemplateEvent(
  events: EventLog,
  template: string,
  happening: {
    readonly kind: Extract<EventKind, `template.${string}`>;
    readonly message: string;
    readonly cause: string;
    readonly actor?: string;
  },
): void {
  const { kind, message, cause, actor = OVERWORLD } = happening;
  events.add({ kind, subject: { type: 'template', id: template }, template, actor, message, cause });
}

/**
 * Writes an event about a template that lacks services, because the rules require more than they can request, or
 * whose services cannot be replaced.
 */
export function emitUnmetDemand(events: EventLog, template: string, { missing, wait }: Unmet): void {
  const lack = `is missing ${missing} ${missing === 1 ? 'service' : 'services'}`;
  events.add({
    kind: 'service.waiting',
    subject: { type: 'template', id: template },
    template,
    actor: OVERWORLD,
    message: `Template ${template} ${missing === 0 ? 'waits' : lack}`,
    cause: wait.message,
  });
}

/** Writes an event about a problem that prevents the master from doing its work. */
export function emitMasterTrouble(events: EventLog, cause: string, message: string): void {
  events.add({
    kind: 'master.trouble',
    subject: { type: 'master', id: 'master' },
    template: null,
    actor: OVERWORLD,
    message,
    cause,
  });
}
