import { masterConfigSchema, type MasterConfig } from '#shared/config/master.ts';
import { orderLocations } from '#shared/config/order-locations.ts';
import { SECRET_MASK } from '#shared/config/secret.ts';
import type { OrderPreview, ProviderProject } from '#shared/model/provider.ts';
import type { ActionOf } from '#master/core/action.ts';
import { previewOrders } from '#master/core/preview-orders.ts';
import type { Market } from '#master/core/snapshot/snapshot.ts';
import { takeSnapshot } from '#master/control/loop/take-snapshot.ts';
import type { PublishedState } from '#master/control/loop/published-state.ts';
import type { IngressAccess } from '#master/ingress/ingress-access.ts';
import type { ProviderProjects, TestedProject } from '#master/nodes/provider-projects.ts';
import type { Documents } from '#master/state/context/documents.ts';
import type { Environment } from '#master/state/context/environment.ts';
import type { NodeAccess } from '#master/state/context/node-access.ts';
import type { ServiceStores } from '#master/state/context/service-stores.ts';
import { checkedDocument, documentTitle } from '#master/store/document-store.ts';
import type { HandlersOf } from '../api.ts';
import { OwnProject } from '../own-project.ts';
import { QueryThrottle } from './query-throttle.ts';

export interface ProviderHandlersOptions {
  readonly context: Documents &
    Pick<Environment, 'now'> &
    Pick<NodeAccess, 'registry' | 'nodeBackoff' | 'costs'> &
    Pick<ServiceStores, 'records' | 'startBackoffs' | 'volumes' | 'evictions'> &
    Pick<IngressAccess, 'link' | 'proxies'>;
  readonly published: Pick<PublishedState, 'players'>;
  readonly projects: ProviderProjects;
}

/** Creates the handlers of `provider.*`: the test of an API token, and a preview of orders. */
export function providerHandlers({
  context,
  published,
  projects,
}: ProviderHandlersOptions): HandlersOf<'provider'> {
  const throttle = new QueryThrottle('waiting previews of orders');
  const own = new OwnProject({ projects, nodes: () => context.registry.nodes() });
  const storedToken = (): string => context.config.master.config.provider.api_token;
  return {
    'provider.test': async ({ token }) => (await own.test(token ?? storedToken())).project,
    'provider.preview': async ({ master }) => {
      const wanted = checkedDocument(documentTitle(null), masterConfigSchema, master);
      const { api_token: token } = wanted.provider;
      const tested = await own.test(token === SECRET_MASK ? storedToken() : token);
      return throttle.run(() => {
        if (published.players === null) return null;
        const snapshot = takeSnapshot(context, { master: wanted });
        const market = toMarket(wanted.provider, tested, context);
        const { orders, noOrder } = previewOrders({ ...snapshot, configureMode: false, market });
        const rentals = snapshot.nodes.flatMap(({ rental }) => rental ?? []);
        return {
          orders: orders.map((order) => withPrice(order, tested.project)),
          noOrder,
          existing: {
            nodes: rentals.length,
            perHour: rentals.reduce((sum, { hourlyPrice }) => sum + hourlyPrice, 0),
          },
        };
      });
    },
  };
}

/**
 * Returns the offers of a tested project in the form that the planner uses. Includes the pauses after rejected orders
 * only if the tested token is the one in use.
 */
function toMarket(
  rules: MasterConfig['provider'],
  { offers }: TestedProject,
  { registry, config }: ProviderHandlersOptions['context'],
): Market {
  const supply = registry.market();
  const isStored = [SECRET_MASK, config.master.config.provider.api_token].includes(rules.api_token);
  return {
    offers: offers(rules),
    paused: isStored ? (supply?.paused ?? null) : null,
    nextNumber: supply?.nextNumber ?? 1,
    locations: orderLocations(rules),
    serverType: rules.server_type,
    blockedServers: rules.blocked_servers,
  };
}

function withPrice(
  { node, type, location, cause }: ActionOf<'order'>,
  { types }: ProviderProject,
): OrderPreview['orders'][number] {
  const offer = types.find(({ name }) => name === type)?.offers.find((one) => one.location === location);
  return {
    node,
    type,
    location,
    cause,
    perHour: offer?.perHour ?? 0,
    perMonth: offer?.perMonth ?? null,
  };
}
