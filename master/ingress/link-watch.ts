import type { LinkEvent } from '#master/link/link.ts';
import type { Loop } from '#master/control/loop/loop.ts';
import type { ServiceCommands } from '#master/control/services/service-commands.ts';
import type { Documents } from '#master/control/context/documents.ts';
import type { ServiceState } from '#master/control/context/service-state.ts';
import type { IngressAccess } from '#master/control/context/ingress-access.ts';
import type { Feed } from '#master/control/context/feed.ts';
import { emitServiceEvent } from '#master/control/feed/emit-event.ts';
import { Rejections } from './rejections.ts';

/**
 * Passes events of the plugin link on to the loop, the app and the activity log.
 *
 * @returns a function that stops the watch
 */
export function watchLink(
  context: Pick<Documents, 'config'> &
    Pick<ServiceState, 'records'> &
    Pick<IngressAccess, 'link' | 'balancer' | 'proxies'> &
    Feed,
  { loop, orders }: { readonly loop: Pick<Loop, 'hurry'>; readonly orders: Pick<ServiceCommands, 'stop'> },
): () => void {
  const { link, balancer, topics, records, events } = context;
  const rejections = new Rejections(context);
  const onLinkEvent = (event: LinkEvent): void => {
    switch (event.kind) {
      case 'limit-reached':
        rejections.add(event);
        return;
      case 'doubted': {
        const { service, message, cause } = event;
        const record = records.get(service);
        if (record !== undefined)
          emitServiceEvent(events, record, { kind: 'service.plugin-doubted', message, cause });
        return;
      }
      case 'linked':
      case 'silent':
        topics.publish('way-in');
        break;
      case 'joined':
      case 'switched':
      case 'left':
        topics.publish('players');
        break;
      case 'heard':
        break;
    }
    loop.hurry();
  };
  link.onStopService(async (service, { name, proxy }) => {
    // Only the proxy vouches for the player's name.
    await orders.stop(service, false, `${name} in game on ${proxy}`);
    return `${service} is being stopped.`;
  });
  const stopLink = link.on(onLinkEvent);
  const stopBalancer = balancer.onChange(() => topics.publish('way-in'));
  return () => {
    stopLink();
    stopBalancer();
  };
}
