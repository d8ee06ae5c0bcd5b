import { viewOf } from '#shared/model/file-views.ts';
import type { Topic } from '#shared/rpc/contract.ts';
import { request, subscribe } from '../../bridge/bridge.ts';
import { endedIn, Folder, type Entry } from './folder.svelte.ts';
import { link } from '../connection/link.svelte.ts';
import { onStale } from '../live.ts';
import { transfers } from './transfers.svelte.ts';

/**
 * Returns the topic of a folder: when this topic is stale, the folder may have changed. No topic reports changes
 * inside the folder of a running service, where files change all the time. Such a folder is read again on request.
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
   * Keeps the folder up to date. Reads it after each transfer that changes it, when the folder's topic is stale, and
   * after each new connection.
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
