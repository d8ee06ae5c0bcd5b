import type { TemplateId } from '#shared/model/template.ts';
import type { Wait, WaitReason } from '#shared/model/wait.ts';
import type { Hue } from '../../ui/hue.ts';

/** Where a reason to wait, or to fail, can be removed. */
export type Fix =
  | { readonly kind: 'files'; readonly template: TemplateId }
  /** A setting of the template, by its path in the document. */
  | { readonly kind: 'setting'; readonly template: TemplateId; readonly field: string }
  | { readonly kind: 'log' }
  /** The nodes: one may be cordoned or held. */
  | { readonly kind: 'nodes' }
  | { readonly kind: 'put-back'; readonly what: 'service' | 'template'; readonly id: string }
  | { readonly kind: 'configure-mode' };

interface WaitFacts {
  /** In a pill. */
  readonly word: string;
  readonly hue: Hue;
  /** What helps; null where it passes by itself, or is mended outside the app: the reason's sentence says how. */
  readonly fix: Fix['kind'] | null;
  /** The setting that helps. */
  readonly field?: string;
}

const factsOf: Record<WaitReason, WaitFacts> = {
  HELD: { word: 'Paused', hue: 'neutral', fix: 'put-back' },
  CAP_REACHED: { word: 'Maximum reached', hue: 'warn', fix: 'setting', field: 'maximumOnlineServers' },
  SERVER_JAR_MISSING: { word: 'server.jar missing', hue: 'warn', fix: 'files' },
  TEMPLATE_UNREADABLE: { word: 'Files not usable', hue: 'bad', fix: 'files' },
  FILES_CHANGING: { word: 'Files changing', hue: 'busy', fix: 'files' },
  BACKING_OFF: { word: 'Waits after failures', hue: 'warn', fix: 'log' },
  NO_NODE: { word: 'No node', hue: 'warn', fix: 'nodes' },
  RAM_FULL: { word: 'RAM full', hue: 'warn', fix: 'setting', field: 'maxJvmMemory' },
  NODE_ON_ITS_WAY: { word: 'Node starting', hue: 'busy', fix: null },
  CONFIGURE_MODE: { word: 'Configure mode', hue: 'warn', fix: 'configure-mode' },
  NO_OFFER: { word: 'No node on offer', hue: 'warn', fix: null },
  TOO_BIG: { word: 'Too big for a node', hue: 'bad', fix: 'setting', field: 'maxJvmMemory' },
  ORDERING_PAUSED: { word: 'Orders refused', hue: 'warn', fix: null },
  JAVA_MISSING: { word: 'Java missing', hue: 'bad', fix: null },
  START_BUDGET: { word: 'Waits its turn', hue: 'busy', fix: null },
};

/** A reason in a pill: word and hue. */
export function toWaitWord({ reason }: Pick<Wait, 'reason'>): { readonly word: string; readonly hue: Hue } {
  return factsOf[reason];
}

/** Nobody has to do anything: it goes on by itself, or stands still because somebody wants it so. */
export function isCalm({ reason }: Pick<Wait, 'reason'>): boolean {
  const { hue } = factsOf[reason];
  return hue === 'busy' || hue === 'neutral';
}

/**
 * The place or the act that removes a reason to wait; null when there is nothing to do here.
 *
 * @param of the template it is about; `heldService`: the service that is held itself, not its template
 */
export function toWaitFix(
  { reason }: Pick<Wait, 'reason'>,
  { template, heldService = null }: { readonly template: TemplateId; readonly heldService?: string | null },
): Fix | null {
  const { fix, field = '' } = factsOf[reason];
  switch (fix) {
    case null:
      return null;
    case 'files':
      return { kind: fix, template };
    case 'setting':
      return { kind: fix, template, field };
    case 'put-back':
      return heldService === null
        ? { kind: fix, what: 'template', id: template }
        : { kind: fix, what: 'service', id: heldService };
    case 'log':
    case 'nodes':
    case 'configure-mode':
      return { kind: fix };
  }
}
