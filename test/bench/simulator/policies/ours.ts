import type { Action } from '#master/core/action.ts';
import { plan } from '#master/core/plan.ts';
import type { Planner } from '../simulate.ts';
import type { NodeRules, ServiceRules } from './parts.ts';

const THIRTY_DAYS_MS = 2_592_000_000;

/** Returns the master's own planner. */
export function ours(): Planner {
  return plan;
}

/** Overworld's rules for services only, to combine them with other rules for nodes. */
export const ourServiceRules: ServiceRules = (snapshot) =>
  plan({ ...snapshot, market: null }).actions.filter(
    (action) => action.kind === 'request' || action.kind === 'stop',
  );

/**
 * Overworld's placement and rules for nodes only, to combine them with other rules for services. Templates demand
 * nothing, and services that the other rules have requested look as if a person had asked for them, so they are
 * left alone.
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
        // Never within a day, but not -1: such services may leave a node that is being drained.
        killUnusedTooManyServersAfter: THIRTY_DAYS_MS,
      },
    })),
    services: snapshot.services.map((service) => ({ ...service, manual: true })),
  }).actions.filter((action): action is Exclude<Action, { kind: 'request' }> => action.kind !== 'request');
