import type { Action } from '#master/core/action.ts';
import { plan } from '#master/core/plan.ts';
import type { Planner } from '../simulate.ts';
import type { NodeRules, ServiceRules } from './parts.ts';

const THIRTY_DAYS_MS = 2_592_000_000;

/** Returns the master's own planner. */
export function ours(): Planner {
  return plan;
}

/** Applies only Overworld's rules for services, so that they can be combined with other rules for nodes. */
export const ourServiceRules: ServiceRules = (snapshot) =>
  plan({ ...snapshot, market: null }).actions.filter(
    (action) => action.kind === 'request' || action.kind === 'stop',
  );

/**
 * Applies only Overworld's rules for placement and nodes, so that they can be combined with other rules for services.
 * In the snapshot for Overworld's planner, templates require no services. All services are marked as requested by a
 * person, so that Overworld's rules do not stop the services that the other rules have requested.
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
        // The time is longer than a simulated day, so that no service is stopped because it is unused. It is not -1,
        // because unused services must be able to leave a draining node.
        killUnusedTooManyServersAfter: THIRTY_DAYS_MS,
      },
    })),
    services: snapshot.services.map((service) => ({ ...service, manual: true })),
  }).actions.filter((action): action is Exclude<Action, { kind: 'request' }> => action.kind !== 'request');
