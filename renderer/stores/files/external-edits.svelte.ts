import type { ExternalEdit } from '#shared/ipc/contract.ts';
import { request, subscribe } from '../../bridge/bridge.ts';

/** Files of all masters that are open in other programs on this computer. */
class ExternalEdits {
  list = $state.raw<readonly ExternalEdit[]>([]);

  #stop: (() => void) | null = null;

  /**
   * Subscribes to updates permanently, because files stay open while other screens are shown. A later call replaces
   * the subscription.
   */
  readonly connect = (): void => {
    this.#stop?.();
    let isUpdated = false;
    this.#stop = subscribe('externalEdits', (next) => {
      isUpdated = true;
      this.list = next;
    });
    request('files.externalEdits', {}).then(
      (first) => {
        if (!isUpdated) this.list = first;
      },
      () => undefined,
    );
  };

  /** Opens a file in this computer's default program for its type. @throws OverworldError */
  readonly open = async (path: string): Promise<void> => {
    await request('files.openExternally', { path });
  };

  /**
   * Settles a conflict of the edit with this id. `mine` uploads the local file. `theirs` downloads the master's file.
   * `close` stops watching the file and deletes the local copy.
   *
   * @throws OverworldError
   */
  readonly settle = async (id: string, keep: 'mine' | 'theirs' | 'close'): Promise<void> => {
    await request('files.settleExternal', { id, keep });
  };
}

export const externalEdits = new ExternalEdits();
