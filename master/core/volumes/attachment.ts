import type { ServiceId } from '#shared/model/service.ts';
import type { NodeId } from '../snapshot/snapshot.ts';

/**
 * The node that may write a volume, for one service. There is never a second writer, and the newest data may be on
 * this node only. The attachment is stored before anything happens on the node. It is removed only when the data is
 * saved, or when its loss is certain or accepted.
 */
export interface Attachment {
  readonly service: ServiceId;
  readonly node: NodeId;
  /** When the volume was attached (ms since epoch). */
  readonly since: number;
  /** Whether the service's process may have been started, so that there may be data to save. */
  readonly started: boolean;
  /** Time as of which data was last saved from this node (ms since epoch). Null if nothing was saved from it yet. */
  readonly savedAt: number | null;
  /** Whether an admin has accepted the loss of data that cannot be saved. */
  readonly lossAccepted: boolean;
  /**
   * Whether the running server may have been asked to stop writing its worlds for a save, and has not been asked to
   * resume yet.
   */
  readonly paused: boolean;
}

/** Result of {@link attachTo}: the new attachment, or the existing one that has to end first. */
export type Attaching =
  | { readonly kind: 'attached'; readonly attachment: Attachment }
  | { readonly kind: 'refused'; readonly by: Attachment };

/**
 * Attaches a volume to a service on a node, so that there are never two writers. Returns `refused` while the volume
 * is attached to another node or service. If the volume is already attached to the same service and node, as after a
 * restart of the master, returns the current attachment unchanged. Stores nothing.
 *
 * @param now ms since epoch
 */
export function attachTo(
  current: Attachment | null,
  { service, node, now }: { readonly service: ServiceId; readonly node: NodeId; readonly now: number },
): Attaching {
  if (current !== null && !isAttachedTo(current, service, node)) return { kind: 'refused', by: current };
  const attachment = current ?? {
    service,
    node,
    since: now,
    started: false,
    savedAt: null,
    lossAccepted: false,
    paused: false,
  };
  return { kind: 'attached', attachment };
}

/**
 * Returns the new attachment of a volume whose service was observed on a node other than the attachment's node. Call
 * it only if the earlier node verifiably has neither the service's process nor its folder; otherwise there could be
 * two writers.
 */
export function movedTo(
  node: NodeId,
  { service, now, paused }: { readonly service: ServiceId; readonly now: number; readonly paused: boolean },
): Attachment {
  return { service, node, since: now, started: true, savedAt: null, lossAccepted: false, paused };
}

/** Facts about the node of an attachment, and about the attached service on other nodes. */
export interface AttachedNode {
  /**
   * `empty`: the node has answered, and has neither the service's process nor its folder. `deleted`: the provider has
   * confirmed that the node no longer exists. `unknown`: the node may have the newest data.
   */
  readonly state: 'empty' | 'deleted' | 'unknown';
  /** Node in the service's record; null if the service has none. */
  readonly placedOn: NodeId | null;
  /** Whether the service's process or folder was observed on the node in its record. */
  readonly isObserved: boolean;
  /** Whether the service's process may run on a node that this master has never observed. */
  readonly mayRunUnobserved: boolean;
}

/**
 * Decides what happens to an attachment whose service is not placed on the attachment's node. This happens, for
 * example, after the restore of a backup that was made before the service moved or stopped. `move`: the newest data
 * is on the node in the service's record. `detach`: no node has newer data than the newest save. `keep`: the
 * attachment's node may have newer data.
 */
export function checkAttachment(
  { node }: Pick<Attachment, 'node'>,
  { state, placedOn, isObserved, mayRunUnobserved }: AttachedNode,
): 'keep' | 'move' | 'detach' {
  // If the service is placed on this node, the observation of its process decides about the attachment (`loseProcess`
  // in control/loop/observe.ts).
  if (state === 'unknown' || placedOn === node) return 'keep';
  if (placedOn !== null) return isObserved ? 'move' : 'keep';
  return mayRunUnobserved ? 'keep' : 'detach';
}

/** Reports whether a volume is attached to this service on this node. */
export function isAttachedTo(current: Attachment | null, service: ServiceId, node: NodeId): boolean {
  return current?.service === service && current.node === node;
}

/**
 * Decides how a save of a node's data is stored. `newest`: the next start of the service uses the save. `aside`: the
 * save is stored as an earlier one. There are two reasons for `aside`:
 *
 * - The volume is not attached to that node. A service on another node may have changed the volume since, or an admin
 *   may have restored a save.
 * - The service was not started on that node since the volume was attached, so the data is older than the attachment.
 */
export function placeOfSave(
  current: Attachment | null,
  service: ServiceId,
  node: NodeId,
): 'newest' | 'aside' {
  return isAttachedTo(current, service, node) && current?.started === true ? 'newest' : 'aside';
}

/**
 * Returns the length of the period from which data may be lost if the volume is detached without a save (ms). Null if
 * nothing can be lost, because the service was not started since the volume was attached.
 *
 * Example: last saved at 10:00:00, now 10:06:20 → 380,000.
 */
export function lossMs({ started, savedAt, since }: Attachment, now: number): number | null {
  return started ? Math.max(0, now - (savedAt ?? since)) : null;
}

/** A moment on the wall clock, and the same moment on the monotonic clock (ms). */
export interface AnchoredMoment {
  readonly at: number;
  readonly clock: number;
}

/**
 * Converts a time of the wall clock to the monotonic clock. If `known` is the result for the same time, returns
 * `known`, so that a later change of the wall clock has no effect. A time in the future counts as now.
 *
 * Example: 10:00:00, first seen at 10:06:00 with the monotonic clock at 500,000 ms → 140,000 ms.
 *
 * @param known the earlier result
 * @param at the time to convert (ms since epoch)
 * @param times.now current time of the wall clock (ms since epoch)
 * @param times.clock current time of the monotonic clock (ms)
 */
export function anchorMoment(
  known: AnchoredMoment | undefined,
  at: number,
  { now, clock }: { readonly now: number; readonly clock: number },
): AnchoredMoment {
  return known?.at === at ? known : { at, clock: clock - Math.max(0, now - at) };
}
