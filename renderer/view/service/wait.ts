import type { TemplateId } from '#shared/model/template.ts';
import type { Wait } from '#shared/model/wait.ts';
import type { Hue } from '../../ui/hue.ts';

/** Place where a person can remove the reason for a wait or failure. */
export type Fix =
  | { readonly kind: 'files'; readonly template: TemplateId }
  /** A setting of the template, by its path in the document. */
  | { readonly kind: 'setting'; readonly template: TemplateId; readonly field: string }
  /** The tab Data of the template, where a person can accept the loss of data. */
  | { readonly kind: 'data'; readonly template: TemplateId }
  | { readonly kind: 'log' }
  /** The Nodes screen, where a node may be cordoned or paused. */
  | { readonly kind: 'nodes' }
  | { readonly kind: 'put-back'; readonly what: 'service' | 'template'; readonly id: string }
  | { readonly kind: 'configure-mode' }
  /** The limits for cloud nodes and their costs in the master configuration. */
  | { readonly kind: 'budget' };

interface WaitFacts {
  /** Word in the pill of a wait. */
  readonly word: string;
  readonly hue: Hue;
  /**
   * Kind of place where a person can remove the reason to wait. Null if the wait ends automatically, or if the window
   * has no such place.
   */
  readonly fix: Fix['kind'] | null;
  /** The template's setting to change. Set only if `fix` is `setting`. */
  readonly field?: string;
}

const factsOf: Record<Wait['reason'], WaitFacts> = {
  HELD: { word: 'Paused', hue: 'neutral', fix: 'put-back' },
  CAP_REACHED: { word: 'Maximum reached', hue: 'warn', fix: 'setting', field: 'maximumOnlineServers' },
  SERVER_JAR_MISSING: { word: 'server.jar missing', hue: 'warn', fix: 'files' },
  TEMPLATE_UNREADABLE: { word: 'Files not usable', hue: 'bad', fix: 'files' },
  FILES_CHANGING: { word: 'Files changing', hue: 'busy', fix: 'files' },
  BACKING_OFF: { word: 'Retries after failures', hue: 'warn', fix: 'log' },
  NO_NODE: { word: 'No node', hue: 'warn', fix: 'nodes' },
  RAM_FULL: { word: 'RAM full', hue: 'warn', fix: 'setting', field: 'maxJvmMemory' },
  NODE_ON_ITS_WAY: { word: 'Node starting', hue: 'busy', fix: null },
  CONFIGURE_MODE: { word: 'Configure mode', hue: 'warn', fix: 'configure-mode' },
  NO_OFFER: { word: 'No server available', hue: 'warn', fix: null },
  TOO_BIG: { word: 'Too big for a node', hue: 'bad', fix: 'setting', field: 'maxJvmMemory' },
  ORDERING_PAUSED: { word: 'Orders rejected', hue: 'warn', fix: null },
  BUDGET_REACHED: { word: 'Budget reached', hue: 'warn', fix: 'budget' },
  JAVA_MISSING: { word: 'Java missing', hue: 'bad', fix: null },
  VOLUME_ATTACHED: { word: 'Data on another node', hue: 'warn', fix: 'data' },
  VOLUME_DAMAGED: { word: 'Data cannot be read', hue: 'bad', fix: 'data' },
  VOLUME_UNSAVABLE: { word: 'Data cannot be saved', hue: 'warn', fix: 'data' },
  START_BUDGET: { word: 'Queued', hue: 'busy', fix: null },
  OTHER: { word: 'Waiting', hue: 'warn', fix: null },
};

/** Returns the word and the hue of a pill that shows a reason to wait. */
export function toWaitWord({ reason }: Pick<Wait, 'reason'>): { readonly word: string; readonly hue: Hue } {
  return factsOf[reason];
}

/** Returns whether a wait needs no action: it ends automatically, or a person paused the automation on purpose. */
export function isCalm({ reason }: Pick<Wait, 'reason'>): boolean {
  const { hue } = factsOf[reason];
  return hue === 'busy' || hue === 'neutral';
}

/**
 * Returns the place where a person can remove a reason to wait. Null if there is none.
 *
 * @param waiting `template`: id of the template that waits or whose service waits. `pausedService`: id of the service
 * whose own automation is paused; null if the automation of the template is paused
 */
export function toWaitFix(
  { reason }: Pick<Wait, 'reason'>,
  {
    template,
    pausedService = null,
  }: { readonly template: TemplateId; readonly pausedService?: string | null },
): Fix | null {
  const { fix, field = '' } = factsOf[reason];
  switch (fix) {
    case null:
      return null;
    case 'files':
    case 'data':
      return { kind: fix, template };
    case 'setting':
      return { kind: fix, template, field };
    case 'put-back':
      return pausedService === null
        ? { kind: fix, what: 'template', id: template }
        : { kind: fix, what: 'service', id: pausedService };
    case 'log':
    case 'nodes':
    case 'configure-mode':
    case 'budget':
      return { kind: fix };
  }
}
