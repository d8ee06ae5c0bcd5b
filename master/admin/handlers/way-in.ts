import type { Parts } from '#master/control/parts.ts';
import { viewWayIn } from '#master/ingress/join-addresses.ts';
import type { HandlersOf } from '../api.ts';

/** `wayIn.*` and `balancer.*` of the admin API: how players come in. */
export function wayInHandlers(parts: Parts): HandlersOf<'wayIn' | 'balancer'> {
  const { balancer, events, topics } = parts;
  return {
    'wayIn.get': () => viewWayIn(parts),
    'balancer.adopt': async (_, caller) => {
      const { configPath } = await balancer.adopt();
      events.add({
        kind: 'balancer.adopted',
        subject: { type: 'config', id: 'balancer' },
        template: null,
        actor: caller.name,
        message: `Overworld's section was put into ${configPath}`,
        cause: `asked for by ${caller.name}`,
      });
      topics.publish('way-in');
      return viewWayIn(parts);
    },
    'balancer.remove': async (_, caller) => {
      const { configPath } = await balancer.remove();
      events.add({
        kind: 'balancer.removed',
        subject: { type: 'config', id: 'balancer' },
        template: null,
        actor: caller.name,
        message: `Overworld's section was taken out of ${configPath}`,
        cause: `asked for by ${caller.name}`,
      });
      topics.publish('way-in');
      return viewWayIn(parts);
    },
  };
}
