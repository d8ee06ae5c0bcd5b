import type { PluginLinkEvent } from '#master/link/link.ts';
import type { ServiceId } from '#shared/model/service.ts';
import type { Documents } from '#master/state/context/documents.ts';
import type { ServiceStores } from '#master/state/context/service-stores.ts';
import type { IngressAccess } from './ingress-access.ts';
import type { Feed } from '#master/state/context/feed.ts';
import { emitServiceEvent, proxyActor } from '#master/state/feed/emit-event.ts';
import { InGameStops } from './in-game-stops.ts';
import { JoinRejections } from './rejections.ts';

/** Functions that the control loop provides to react to events of the link. */
interface Reactions {
  /** Starts the next round at once. */
  readonly hurry: () => void;
  /** Stops a service. The activity log names `actor` and `cause`. */
  readonly stop: (
    service: ServiceId,
    by: { readonly actor: string; readonly cause: string },
  ) => Promise<void>;
}

/**
 * Passes events of the plugin link to the control loop, the app and the activity log.
 *
 * @returns a function that stops the watch
 */
export function watchLink(
  context: Pick<Documents, 'config'> &
    Pick<ServiceStores, 'records'> &
    Pick<IngressAccess, 'link' | 'balancer' | 'proxies'> &
    Feed,
  { hurry, stop }: Reactions,
): () => void {
  const { link, balancer, topics, records, events, config } = context;
  const rejections = new JoinRejections(context);
  const inGameStops = new InGameStops();
  const onLinkEvent = (event: PluginLinkEvent): void => {
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
      case 'reported':
        break;
    }
    hurry();
  };
  link.onStopService(async (service, { name, proxy }) => {
    inGameStops.admit(proxy, config.master.config.access.in_game_stop);
    // A hacked proxy may name any player, so the event never names the player as the actor.
    await stop(service, {
      actor: proxyActor(proxy),
      cause: `${proxy} says that ${name} asked for it in game`,
    });
    return `${service} is being stopped.`;
  });
  const stopLink = link.on(onLinkEvent);
  const stopBalancer = balancer.onChange(() => topics.publish('way-in'));
  return () => {
    stopLink();
    stopBalancer();
  };
}
