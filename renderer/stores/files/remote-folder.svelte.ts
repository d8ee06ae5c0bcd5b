import { viewOf } from '#shared/model/file-views.ts';
import type { Topic } from '#shared/rpc/contract.ts';
import { request, subscribe } from '../../bridge/bridge.ts';
import { endedIn, Folder, type Entry } from './folder.svelte.ts';
import { link } from '../connection/link.svelte.ts';
import { onStale } from '../live.ts';
import { transfers } from './transfers.svelte.ts';

/**
 * Returns the topic that is stale when a folder has changed. Files within the folder of a service change all the time, and
 * are read again on request only.
 */
function topicOf(path: string): Topic {
  if (path === '/services') return 'services';
  return viewOf(path) === 'volumes' ? 'volumes' : 'templates';
}

/** A folder on the master. */
export class RemoteFolder extends Folder {
  protected override read(path: string): Promise<readonly Entry[]> {
    return request('files.list', { folder: path });
  }

  /**
   * Keeps the folder up to date: reads it after each transfer into or out of it, each change of a template's files,
   * and each new connection.
   *
   * @returns a function that stops the updates
   */
  readonly connect = (): (() => void) => {
    let ended = endedIn(transfers.list, 'remote', this.path);
    const stops = [
      this.refresher.connect(),
      link.onConnected(() => {
        this.refresher.reset();
        void this.refresh();
      }),
      onStale((topics) => {
        if (topics.includes(topicOf(this.path))) this.refresher.stale();
      }),
      subscribe('transfers', (list) => {
        const now = endedIn(list, 'remote', this.path);
        if (now !== ended) this.refresher.stale();
        ended = now;
      }),
    ];
    return () => {
      for (const stop of stops) stop();
    };
  };
}
