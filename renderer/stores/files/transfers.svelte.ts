import type { RequestParams, Transfer } from '#shared/ipc/contract.ts';
import { request, subscribe } from '../../bridge/bridge.ts';
import { isUnderWay } from '../../view/format/transfer.ts';

/** Files on their way, as the main process tells it; newest last. */
class Transfers {
  list = $state.raw<readonly Transfer[]>([]);
  readonly running: readonly Transfer[] = $derived(this.list.filter(isUnderWay));
  readonly failed: readonly Transfer[] = $derived(this.list.filter(({ state }) => state === 'failed'));
  /** Bytes of all that run or wait, done and in total. */
  readonly bytes = $derived({
    done: this.running.reduce((sum, { bytes }) => sum + bytes.done, 0),
    total: this.running.reduce((sum, { bytes }) => sum + bytes.total, 0),
  });

  readonly connect = (): (() => void) => {
    let heard = false;
    const stop = subscribe('transfers', (next) => {
      heard = true;
      this.list = next;
    });
    request('transfers.list', {}).then(
      (first) => {
        if (!heard) this.list = first;
      },
      () => undefined,
    );
    return stop;
  };

  /** Begins what a plan says. @throws OverworldError */
  readonly start = async (how: RequestParams<'transfers.start'>): Promise<void> => {
    await request('transfers.start', how);
  };

  /** Keeps what has arrived, and goes on from there later. `null`: all that are under way. */
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

  /** Forgets all that have ended. */
  readonly clear = async (): Promise<void> => {
    await request('transfers.clear', {});
  };
}

export const transfers = new Transfers();
