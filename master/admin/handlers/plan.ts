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

/** `plan.*` of the admin API: what the rules would do, and why they cannot. Nothing is changed by it. */
export function planHandlers(
  parts: Documents &
    Pick<Environment, 'now'> &
    Pick<NodeAccess, 'provider' | 'nodeBackoff'> &
    Pick<ServiceState, 'records' | 'startBackoffs'> &
    Pick<IngressAccess, 'link' | 'proxies'>,
  shown: Pick<PublishedState, 'planStatus' | 'players' | 'outdated'>,
): HandlersOf<'plan'> {
  const pacer = new Pacer('previews that wait');
  return {
    'plan.preview': (params) => {
      // Mistakes in the document are told at once; the snapshot is taken when it is its turn.
      const edits = toEdits(params);
      return pacer.run(() => {
        if (shown.players === null) return null;
        const outdated = becomingOutdated(edits, parts.records.all, shown.outdated);
        return { ...foresee(takeSnapshot(parts, edits)), outdated };
      });
    },
    'plan.noOrder': () => shown.planStatus.noOrder,
  };
}

/** Looks at the edited template only. Changed content of its files is no edit that a preview is asked about. */
function becomingOutdated(
  { template }: Edits,
  records: readonly ServiceRecord[],
  outdated: Pick<Outdated, 'countBecoming'>,
): Foresight['outdated'] {
  if (template === undefined) return [];
  const services = outdated.countBecoming(records, template.id, template.config);
  return services === 0 ? [] : [{ template: template.id, services }];
}

/** Checks documents exactly as saving them would. @throws OverworldError CONFIG_FAULTY */
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
