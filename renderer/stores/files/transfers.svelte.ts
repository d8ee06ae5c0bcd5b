import type { RequestParams, Transfer } from '#shared/ipc/contract.ts';
import { request, subscribe } from '../../bridge/bridge.ts';
import { isUnderWay } from '../../view/format/transfer.ts';

/** File transfers as the main process reports them, newest last. */
class Transfers {
  list = $state.raw<readonly Transfer[]>([]);
  readonly running: readonly Transfer[] = $derived(this.list.filter(isUnderWay));
  readonly failed: readonly Transfer[] = $derived(this.list.filter(({ state }) => state === 'failed'));
  /** Transferred and total bytes of all transfers that have not ended. */
  readonly bytes = $derived({
    done: this.running.reduce((sum, { bytes }) => sum + bytes.done, 0),
    total: this.running.reduce((sum, { bytes }) => sum + bytes.total, 0),
  });

  readonly connect = (): (() => void) => {
    let isUpdated = false;
    const stop = subscribe('transfers', (next) => {
      isUpdated = true;
      this.list = next;
    });
    request('transfers.list', {}).then(
      (first) => {
        if (!isUpdated) this.list = first;
      },
      () => undefined,
    );
    return stop;
  };

  /** Starts a planned transfer. @throws OverworldError */
  readonly start = async (how: RequestParams<'transfers.start'>): Promise<void> => {
    await request('transfers.start', how);
  };

  /** Pauses a transfer, or all transfers if `id` is null. A paused transfer keeps the transferred data. */
  readonly pause = async (id: string | null): Promise<void> => {
    await request('transfers.pause', { id });
  };

  readonly resume = async (id: string | null): Promise<void> => {
    await request('transfers.resume', { id });
  };

  readonly cancel = async (id: string): Promise<void> => {
    await request('transfers.cancel', { id });
  };

  readonly retry = async (id: string): Promise<void> => {
    await request('transfers.retry', { id });
  };

  /** Removes all finished transfers from the list. @throws OverworldError */
  readonly clear = async (): Promise<void> => {
    await request('transfers.clear', {});
  };
}

export const transfers = new Transfers();
