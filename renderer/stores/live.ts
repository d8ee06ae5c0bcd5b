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
import { wayIn } from './way-in.svelte.ts';

/** What is fetched again when a topic is stale. */
const byTopic: Partial<Record<Topic, readonly { readonly stale: () => void }[]>> = {
  services: [services.refresher, noOrder.refresher],
  templates: [templates.refresher],
  nodes: [nodes.refresher, noOrder.refresher],
  config: [noOrder.refresher],
  activity: [activity.refresher],
  keys: [master.refresher],
  'way-in': [wayIn.refresher],
};

const all = [services, templates, nodes, noOrder, activity, master, wayIn];

/** Keeps the shared stores fresh while the window lives. @returns stops it */
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

/** Hears which topics are stale: for what one screen alone shows. */
export function onStale(listener: (topics: readonly Topic[]) => void): () => void {
  return subscribe('notification', (notification) => {
    if (notification.name === 'stale') listener(notification.params.topics);
  });
}

/** Keeps one screen's own part of the log fresh. @returns stops it */
export function keepFeedLive(feed: ActivityFeed): () => void {
  return keepFresh(feed, ['activity']);
}

/** Keeps fresh what one screen alone shows, as long as it does. @returns stops it */
export function keepFresh(
  { refresher }: { readonly refresher: Pick<Refresher<unknown>, 'connect' | 'refresh' | 'reset' | 'stale'> },
  of: readonly Topic[],
): () => void {
  const stops = [
    refresher.connect(),
    link.onConnected(() => {
      // What is under way asked the connection before.
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
