import { z } from 'zod';
import { openEnum } from '../tolerant.ts';

/** Kinds of events. The Activity screen has a filter and a sentence for each kind. */
export const eventKinds = [
  'service.requested',
  'service.preparing',
  'service.starting',
  'service.running',
  'service.in-use',
  'service.stopping',
  'service.stopped',
  'service.failed',
  'service.adopted',
  'service.waiting',
  'service.unresponsive',
  'service.command',
  'service.restarting',
  'service.retiring',
  'service.draining',
  'service.staying',
  'service.held',
  'service.put-back',
  'service.plugin-linked',
  'service.plugin-silent',
  'service.plugin-doubted',
  'volume.saved',
  'volume.failed',
  'volume.lost',
  'volume.restored',
  'volume.cloned',
  'volume.deleted',
  'template.created',
  'template.changed',
  'template.deleted',
  'template.leaving',
  'template.staying',
  'template.eula-accepted',
  'template.software-changed',
  'template.files-restored',
  'template.files-changed',
  'template.faulty',
  'template.held',
  'template.put-back',
  'node.ordered',
  'node.ready',
  'node.cordoned',
  'node.draining',
  'node.resumed',
  'node.held',
  'node.put-back',
  'node.locked',
  'node.unlocked',
  'node.leaving',
  'node.released',
  'node.lost',
  'node.failed',
  'config.changed',
  'config.faulty',
  'key.added',
  'key.limited',
  'key.removed',
  'session.ended',
  'files.written',
  'files.deleted',
  'files.renamed',
  'files.copied',
  'network.limit-reached',
  'network.limit-left',
  'player.refused',
  'player.let-in',
  'player.kicked',
  'player.sent',
  'backup.done',
  'backup.failed',
  'backup.overdue',
  'balancer.adopted',
  'balancer.removed',
  'balancer.trouble',
  'balancer.working',
  'master.started',
  'master.stopped',
  'master.trouble',
] as const;
export type EventKind = (typeof eventKinds)[number];

/** One entry of the activity log: who did something, what was done to which object, when, and why. */
export const activityEventSchema = z.strictObject({
  /** Increases by one with each event of a master. Never reused. */
  seq: z.int(),
  at: z.int(),
  /** Kind of the event. `other` in an app that does not know the kind, because the master is newer. */
  kind: openEnum(eventKinds, 'other'),
  /** The object that the event concerns. */
  subject: z.strictObject({
    type: openEnum(
      ['service', 'template', 'node', 'config', 'key', 'master', 'file', 'network', 'player'],
      'other',
    ),
    id: z.string(),
  }),
  /** Template of the subject, for filters. Null if there is none. */
  template: z.string().nullable(),
  /** Name of an authorized key, or `overworld` for the master's own rules. */
  actor: z.string(),
  /** What happened, in one sentence. */
  message: z.string(),
  /** Cause of the event: the rule with its numbers, or the request. */
  cause: z.string(),
});
export type ActivityEvent = z.infer<typeof activityEventSchema>;

/** Filter for events. An event must match all given fields. */
export const activityFilterSchema = z.strictObject({
  template: z.string().optional(),
  /** Id of the subject. */
  subject: z.string().optional(),
  /** Kinds to include. A kind that this master does not know matches no event; a newer app may send such a kind. */
  kinds: z.array(z.string().max(64)).optional(),
  /** Name of an authorized key, or `overworld`. */
  actor: z.string().optional(),
  /** Words that must all appear in message, cause, subject or actor, regardless of case. */
  text: z.string().max(200).optional(),
  /** Time range (ms since epoch): `from` is inclusive, `until` exclusive. */
  from: z.int().optional(),
  until: z.int().optional(),
});
