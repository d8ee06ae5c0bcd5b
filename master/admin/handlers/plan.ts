import { masterConfigSchema } from '#shared/config/master.ts';
import { templateConfigSchema } from '#shared/config/template.ts';
import type { Foresight } from '#shared/model/foresight.ts';
import type { Params } from '#shared/rpc/contract.ts';
import { foresee } from '#master/core/foresee.ts';
import type { Documents } from '#master/control/context/documents.ts';
import type { Environment } from '#master/control/context/environment.ts';
import type { NodeAccess } from '#master/control/context/node-access.ts';
import type { ServiceState } from '#master/control/context/service-state.ts';
import type { IngressAccess } from '#master/control/context/ingress-access.ts';
import type { PublishedState } from '#master/control/loop/published-state.ts';
import type { Outdated } from '#master/control/services/outdated.ts';
import type { ServiceRecord } from '#master/control/services/records.ts';
import { takeSnapshot, type Edits } from '#master/control/loop/take-snapshot.ts';
import { checkedDocument, documentTitle } from '#master/store/document-store.ts';
import type { HandlersOf } from '../api.ts';
import { Pacer } from './pacer.ts';

/** Creates the handlers of `plan.*`: what the rules would do, and what prevents them. They change nothing. */
export function planHandlers(
  context: Documents &
    Pick<Environment, 'now'> &
    Pick<NodeAccess, 'registry' | 'nodeBackoff'> &
    Pick<ServiceState, 'records' | 'startBackoffs'> &
    Pick<IngressAccess, 'link' | 'proxies'>,
  shown: Pick<PublishedState, 'planStatus' | 'players' | 'outdated'>,
): HandlersOf<'plan'> {
  const pacer = new Pacer('previews that wait');
  return {
    'plan.preview': (params) => {
      // Reports problems of the document immediately; takes the snapshot when it is the query's turn.
      const edits = toEdits(params);
      return pacer.run(() => {
        if (shown.players === null) return null;
        const outdated = becomingOutdated(edits, context.records.all, shown.outdated);
        return { ...foresee(takeSnapshot(context, edits)), outdated };
      });
    },
    'plan.noOrder': () => shown.planStatus.noOrder,
  };
}

/**
 * Returns the services that an edit makes outdated. Considers only the edited template, and not changes of its
 * files, because a preview is about edits.
 */
function becomingOutdated(
  { template }: Edits,
  records: readonly ServiceRecord[],
  outdated: Pick<Outdated, 'countBecoming'>,
): Foresight['outdated'] {
  if (template === undefined) return [];
  const services = outdated.countBecoming(records, template.id, template.config);
  return services === 0 ? [] : [{ template: template.id, services }];
}

/**
 * Validates documents exactly like saving them would.
 *
 * @throws OverworldError CONFIG_FAULTY
 */
function toEdits({ template, master }: Params<'plan.preview'>): Edits {
  return {
    ...(template !== undefined && {
      template: {
        id: template.id,
        config: checkedDocument(documentTitle(template.id), templateConfigSchema, template.config),
      },
    }),
    ...(master !== undefined && { master: checkedDocument(documentTitle(null), masterConfigSchema, master) }),
  };
}
