import type { LinkEvent } from '#master/link/link.ts';
import type { ServiceId } from '#shared/model/service.ts';
import type { Documents } from '#master/state/context/documents.ts';
import type { ServiceState } from '#master/state/context/service-state.ts';
import type { IngressAccess } from './ingress-access.ts';
import type { Feed } from '#master/state/context/feed.ts';
import { emitServiceEvent } from '#master/state/feed/emit-event.ts';
import { Rejections } from './rejections.ts';

/** What the control loop does when the link reports something. */
interface Reactions {
  /** Starts the next round at once. */
  readonly hurry: () => void;
  /** Stops a service on behalf of `actor`, whom the activity log names. */
  readonly stop: (service: ServiceId, actor: string) => Promise<void>;
}

/**
 * Passes events of the plugin link to the control loop, the app and the activity log.
 *
 * @returns a function that stops the watch
 */
export function watchLink(
  context: Pick<Documents, 'config'> &
    Pick<ServiceState, 'records'> &
    Pick<IngressAccess, 'link' | 'balancer' | 'proxies'> &
    Feed,
  { hurry, stop }: Reactions,
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
    hurry();
  };
  link.onStopService(async (service, { name, proxy }) => {
    // Only the proxy has verified the player's name, so the event also contains the proxy.
    await stop(service, `${name} in game on ${proxy}`);
    return `${service} is being stopped.`;
  });
  const stopLink = link.on(onLinkEvent);
  const stopBalancer = balancer.onChange(() => topics.publish('way-in'));
  return () => {
    stopLink();
    stopBalancer();
  };
}
