import type { Documents } from '#master/control/context/documents.ts';
import type { Environment } from '#master/control/context/environment.ts';
import type { NodeAccess } from '#master/control/context/node-access.ts';
import type { ServiceState } from '#master/control/context/service-state.ts';
import type { IngressAccess } from '#master/control/context/ingress-access.ts';
import type { Feed } from '#master/control/context/feed.ts';
import { viewWayIn } from '#master/ingress/join-addresses.ts';
import type { HandlersOf } from '../api.ts';

/** Creates the handlers of `wayIn.*` and `balancer.*`: how players join. */
export function playerEntryHandlers(
  context: Documents &
    Pick<Environment, 'now'> &
    Pick<NodeAccess, 'registry'> &
    Pick<ServiceState, 'records'> &
    Pick<IngressAccess, 'link' | 'balancer' | 'proxies' | 'shownHost'> &
    Feed,
): HandlersOf<'wayIn' | 'balancer'> {
  const { balancer, events, topics } = context;
  return {
    'wayIn.get': () => viewWayIn(context),
    'balancer.adopt': async (_, caller) => {
      const { configPath } = await balancer.adopt();
      events.add({
        kind: 'balancer.adopted',
        subject: { type: 'config', id: 'balancer' },
        template: null,
        actor: caller.name,
        message: `Overworld's section was added to ${configPath}`,
        cause: `asked for by ${caller.name}`,
      });
      topics.publish('way-in');
      return viewWayIn(context);
    },
    'balancer.remove': async (_, caller) => {
      const { configPath } = await balancer.remove();
      events.add({
        kind: 'balancer.removed',
        subject: { type: 'config', id: 'balancer' },
        template: null,
        actor: caller.name,
        message: `Overworld's section was removed from ${configPath}`,
        cause: `asked for by ${caller.name}`,
      });
      topics.publish('way-in');
      return viewWayIn(context);
    },
  };
}
