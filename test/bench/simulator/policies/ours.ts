import type { Action } from '#master/core/action.ts';
import { plan } from '#master/core/plan.ts';
import type { Planner } from '../simulate.ts';
import type { NodeRules, ServiceRules } from './parts.ts';

const THIRTY_DAYS_MS = 2_592_000_000;

/** The master's own planner, as it is. */
export function ours(): Planner {
  return plan;
}

/** Only what our rules want of services: for a comparison with other rules for nodes. */
export const ourServiceRules: ServiceRules = (snapshot) =>
  plan({ ...snapshot, market: null }).actions.filter(
    (action) => action.kind === 'request' || action.kind === 'stop',
  );

/**
 * Only our placement and our rules for nodes: for a comparison with other rules for services. Templates want nothing,
 * and what the others have requested looks as if a person had asked for it, so that our rules leave it alone.
 */
export const ourNodeRules: NodeRules = (snapshot) =>
  plan({
    ...snapshot,
    templates: snapshot.templates.map((template) => ({
      ...template,
      config: {
        ...template.config,
        minimumRunningServers: 0,
        startNewServiceAtTemplateCapacity: 0,
        startNewServiceAtGlobalCapacity: 0,
        // Never in a day, but not "never": such services may leave a node that is emptied.
        killUnusedTooManyServersAfter: THIRTY_DAYS_MS,
      },
    })),
    services: snapshot.services.map((service) => ({ ...service, manual: true })),
  }).actions.filter((action): action is Exclude<Action, { kind: 'request' }> => action.kind !== 'request');
