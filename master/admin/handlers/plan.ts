import { masterConfigSchema } from '#shared/config/master.ts';
import { templateConfigSchema, type TemplateConfig } from '#shared/config/template.ts';
import type { PlanPreview } from '#shared/model/plan-preview.ts';
import type { Params } from '#shared/rpc/contract.ts';
import { missingForCall } from '#shared/rpc/reach.ts';
import { previewPlan } from '#master/core/preview-plan.ts';
import type { Documents } from '#master/state/context/documents.ts';
import type { Environment } from '#master/state/context/environment.ts';
import type { NodeAccess } from '#master/state/context/node-access.ts';
import type { ServiceStores } from '#master/state/context/service-stores.ts';
import type { IngressAccess } from '#master/ingress/ingress-access.ts';
import type { PublishedState } from '#master/control/loop/published-state.ts';
import type { Outdated } from '#master/control/services/outdated.ts';
import type { ServiceRecord } from '#master/state/services/records.ts';
import { takeSnapshot, type Edits } from '#master/control/loop/take-snapshot.ts';
import { checkedDocument, documentTitle } from '#master/store/document-store.ts';
import type { Caller, HandlersOf } from '../api.ts';
import { showVariables } from '../masked-variables.ts';
import { QueryThrottle } from './query-throttle.ts';

/** Creates the handlers of `plan.*`: previews of what the rules would do, and the reason why no server is ordered. */
export function planHandlers(
  context: Documents &
    Pick<Environment, 'now'> &
    Pick<NodeAccess, 'registry' | 'nodeBackoff' | 'costs'> &
    Pick<ServiceStores, 'records' | 'startBackoffs' | 'volumes' | 'evictions'> &
    Pick<IngressAccess, 'link' | 'proxies'>,
  shown: Pick<PublishedState, 'planStatus' | 'players' | 'outdated'>,
): HandlersOf<'plan'> {
  const throttle = new QueryThrottle('waiting previews');
  return {
    'plan.preview': (params, caller) => {
      // Reports problems of the document immediately. Takes the snapshot only when it is the query's turn.
      const edits = toEdits(params, caller, context.config);
      return throttle.run(() => {
        if (shown.players === null) return null;
        const outdated = becomingOutdated(edits, context.records.all, shown.outdated);
        return { ...previewPlan(takeSnapshot(context, edits)), outdated };
      });
    },
    'plan.noOrder': () => shown.planStatus.noOrder,
  };
}

/**
 * Returns the templates with services that a previewed configuration would make outdated, and the numbers of these
 * services. Considers only the edited template, and ignores changes of its files.
 */
function becomingOutdated(
  { template }: Edits,
  records: readonly ServiceRecord[],
  outdated: Pick<Outdated, 'countBecoming'>,
): PlanPreview['outdated'] {
  if (template === undefined) return [];
  const services = outdated.countBecoming(records, template.id, template.config);
  return services === 0 ? [] : [{ template: template.id, services }];
}

/**
 * Validates documents by the rules that also apply when they are saved.
 *
 * @throws OverworldError CONFIG_FAULTY
 */
function toEdits(
  { template, master }: Params<'plan.preview'>,
  caller: Caller,
  config: Documents['config'],
): Edits {
  return {
    ...(template !== undefined && {
      template: { id: template.id, config: toTemplateConfig(template, caller, config) },
    }),
    ...(master !== undefined && { master: checkedDocument(documentTitle(null), masterConfigSchema, master) }),
  };
}

/**
 * Validates the document of a template, in which masks stand for the stored values of variables.
 *
 * @throws OverworldError CONFIG_FAULTY
 */
function toTemplateConfig(
  { id, config: document }: NonNullable<Params<'plan.preview'>['template']>,
  caller: Caller,
  config: Documents['config'],
): TemplateConfig {
  const environment = config.templates.get(id)?.state.config.environment ?? [];
  const title = documentTitle(id);
  if (missingForCall(caller, 'templates.text', { id }) === null)
    return checkedDocument(title, templateConfigSchema, showVariables(id, document, environment));
  // The number of outdated services would show the caller whether a guess of a hidden value is right.
  return { ...checkedDocument(title, templateConfigSchema, document), environment };
}
