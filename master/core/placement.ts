import type { Wait, WaitReason } from '#shared/model/wait.ts';
import type { Room, Rooms } from './rooms.ts';
import type { ServiceSnapshot, Snapshot, TemplateSnapshot } from './snapshot.ts';

/** Where a service goes, or the reason why it does not start now. */
export type Placing =
  { readonly kind: 'node'; readonly room: Room } | { readonly kind: 'wait'; readonly wait: Wait };

/**
 * Finds the node for one requested service: of those that can take it the one with the least RAM left (best fit,
 * so that other nodes stay emptiable), ties by id. Never over-commits. Design 5, rule 7.
 */
export function placeService(
  service: ServiceSnapshot,
  template: TemplateSnapshot,
  { snapshot, rooms }: PlacingContext,
): Placing {
  const blocked = templateBlocks(template, snapshot.now);
  if (blocked !== null) return { kind: 'wait', wait: blocked };
  if (rooms.openCount === 0) return wait('NO_NODE', noNodeSentence(snapshot));
  if (rooms.usableCount(template.bringsJava) === 0) {
    return wait(
      'JAVA_MISSING',
      'No node has a Java runtime. Install one there (for example: apt-get install default-jre-headless).',
    );
  }
  const most = rooms.mostFreeMb(template.bringsJava);
  if (most < service.ramMb) {
    const more = snapshot.configureMode ? ' No nodes are ordered while configure mode is on.' : '';
    return wait(
      'RAM_FULL',
      `It needs ${service.ramMb} MB, but at most ${most} MB are free on a node. It starts when services stop.${more}`,
    );
  }
  const room = rooms.bestFit(service.ramMb, template.bringsJava);
  if (room === undefined) {
    return wait('START_BUDGET', 'Other services are being started on its node; it is next.');
  }
  return { kind: 'node', room };
}

export interface PlacingContext {
  readonly snapshot: Snapshot;
  readonly rooms: Rooms;
}

/** Reasons that lie with the template, whatever room there is. */
function templateBlocks(template: TemplateSnapshot, now: number): Wait | null {
  if (template.problem !== null) {
    const message = `The files of template ${template.id} cannot be used: ${template.problem} Services start by themselves once that is corrected.`;
    return { reason: 'TEMPLATE_UNREADABLE', message, until: null };
  }
  if (!template.hasJar && !template.changing) {
    const message = `Template ${template.id} has no server.jar. Upload one into its folder; the service starts by itself then.`;
    return { reason: 'SERVER_JAR_MISSING', message, until: null };
  }
  if (template.changing || template.revision === null) {
    const message = `The files of template ${template.id} are being written. The service starts once they have been quiet for a moment.`;
    return { reason: 'FILES_CHANGING', message, until: null };
  }
  if (template.retryAt !== null && template.retryAt > now) {
    const message = `The last start of template ${template.id} failed; it is tried again shortly.`;
    return { reason: 'BACKING_OFF', message, until: template.retryAt };
  }
  return null;
}

function noNodeSentence({ configureMode }: Snapshot): string {
  return configureMode
    ? 'There is no node, and none is ordered while configure mode is on. Switch it off in the master configuration.'
    : 'There is no node ready to take services.';
}

function wait(reason: WaitReason, message: string): Placing {
  return { kind: 'wait', wait: { reason, message, until: null } };
}
