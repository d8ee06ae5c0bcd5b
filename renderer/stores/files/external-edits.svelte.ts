import type { ExternalEdit } from '#shared/ipc/contract.ts';
import { request, subscribe } from '../../bridge/bridge.ts';

/** Files of the master that are open in other programs on this computer. */
class ExternalEdits {
  list = $state.raw<readonly ExternalEdit[]>([]);

  #stop: (() => void) | null = null;

  /** Subscribes to updates, also while other screens are shown. May be called more than once. */
  readonly connect = (): void => {
    this.#stop?.();
    let heard = false;
    this.#stop = subscribe('externalEdits', (next) => {
      heard = true;
      this.list = next;
    });
    request('files.externalEdits', {}).then(
      (first) => {
        if (!heard) this.list = first;
      },
      () => undefined,
    );
  };

  /** Opens a file in this computer's default program for it. @throws OverworldError */
  readonly open = async (path: string): Promise<void> => {
    await request('files.openExternally', { path });
  };

  /**
   * Resolves a conflict: uploads the local file, takes the remote one, or stops watching the file. @throws
   * OverworldError
   */
  readonly settle = async (path: string, keep: 'mine' | 'theirs' | 'close'): Promise<void> => {
    await request('files.settleExternal', { path, keep });
  };
}

export const externalEdits = new ExternalEdits();
