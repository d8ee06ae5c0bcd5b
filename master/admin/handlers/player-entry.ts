import type { Documents } from '#master/state/context/documents.ts';
import type { Environment } from '#master/state/context/environment.ts';
import type { NodeAccess } from '#master/state/context/node-access.ts';
import type { ServiceStores } from '#master/state/context/service-stores.ts';
import type { IngressAccess } from '#master/ingress/ingress-access.ts';
import type { Feed } from '#master/state/context/feed.ts';
import { viewPlayerEntry } from '#master/ingress/join-addresses.ts';
import type { HandlersOf } from '../api.ts';

/** Creates the handlers of `wayIn.*` and `balancer.*`: how players join. */
export function playerEntryHandlers(
  context: Documents &
    Pick<Environment, 'now'> &
    Pick<NodeAccess, 'registry'> &
    Pick<ServiceStores, 'records' | 'pinger'> &
    Pick<IngressAccess, 'link' | 'balancer' | 'proxies' | 'shownHost'> &
    Feed,
): HandlersOf<'wayIn' | 'balancer'> {
  const { balancer, events, topics } = context;
  return {
    'wayIn.get': () => viewPlayerEntry(context),
    'balancer.adopt': async (_, caller) => {
      const { configPath } = await balancer.adopt();
      events.add({
        kind: 'balancer.adopted',
        subject: { type: 'config', id: 'balancer' },
        template: null,
        actor: caller.name,
        message: `Overworld's section was added to ${configPath}`,
        cause: `requested by ${caller.name}`,
      });
      topics.publish('way-in');
      return viewPlayerEntry(context);
    },
    'balancer.remove': async (_, caller) => {
      const { configPath } = await balancer.remove();
      events.add({
        kind: 'balancer.removed',
        subject: { type: 'config', id: 'balancer' },
        template: null,
        actor: caller.name,
        message: `Overworld's section was removed from ${configPath}`,
        cause: `requested by ${caller.name}`,
      });
      topics.publish('way-in');
      return viewPlayerEntry(context);
    },
  };
}
