import type { Topic } from '#shared/rpc/contract.ts';
import { subscribe } from '../bridge/bridge.ts';
import { activity, type ActivityFeed } from './activity.svelte.ts';
import { link } from './connection/link.svelte.ts';
import { master } from './master.svelte.ts';
import { nodes } from './nodes.svelte.ts';
import { noOrder } from './no-order.svelte.ts';
import type { Refresher } from './refresher.ts';
import { services } from './services.svelte.ts';
import { templates } from './templates.svelte.ts';
import { playerEntry } from './player-entry.svelte.ts';

/** The stores to refresh when a topic is stale. */
const byTopic: Partial<Record<Topic, readonly { readonly stale: () => void }[]>> = {
  services: [services.refresher, noOrder.refresher],
  templates: [templates.refresher],
  nodes: [nodes.refresher, noOrder.refresher],
  config: [noOrder.refresher, master.refresher],
  activity: [activity.refresher],
  keys: [master.refresher],
  'way-in': [playerEntry.refresher],
};

const all = [services, templates, nodes, noOrder, activity, master, playerEntry];

/** Keeps the stores that several screens share up to date. @returns a function that stops the updates */
export function keepStoresLive(): () => void {
  const stops = [
    ...all.map((store) => store.refresher.connect()),
    link.onConnected((sameRun) => {
      services.reset(sameRun);
      for (const store of all) {
        store.refresher.reset();
        void store.refresher.refresh();
      }
    }),
    onStale((topics) => {
      for (const topic of topics) for (const refresher of byTopic[topic] ?? []) refresher.stale();
    }),
  ];
  return () => {
    for (const stop of stops) stop();
  };
}

/**
 * Calls the listener whenever the master reports that the data of some topics is outdated ("stale"). Meant for data
 * that only one screen shows.
 *
 * @returns a function that ends the subscription
 */
export function onStale(listener: (topics: readonly Topic[]) => void): () => void {
  return subscribe('notification', (notification) => {
    if (notification.name === 'stale') listener(notification.params.topics);
  });
}

/** Keeps a screen's own part of the activity log up to date. @returns a function that stops the updates */
export function keepFeedLive(feed: ActivityFeed): () => void {
  return keepFresh(feed, ['activity']);
}

/**
 * Requests the data of one screen. Requests the data again when one of its topics is stale, and after each new
 * connection.
 *
 * @param of topics of the data
 * @returns a function that stops the updates
 */
export function keepFresh(
  { refresher }: { readonly refresher: Pick<Refresher<unknown>, 'connect' | 'refresh' | 'reset' | 'stale'> },
  of: readonly Topic[],
): () => void {
  const stops = [
    refresher.connect(),
    link.onConnected(() => {
      // A request that is still running was sent over the previous connection, so it gets no response.
      refresher.reset();
      void refresher.refresh();
    }),
    onStale((topics) => {
      if (topics.some((topic) => of.includes(topic))) refresher.stale();
    }),
  ];
  void refresher.refresh();
  return () => {
    for (const stop of stops) stop();
  };
}
