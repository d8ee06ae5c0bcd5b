import type { ExternalEdit } from '#shared/ipc/contract.ts';
import { request, subscribe } from '../../bridge/bridge.ts';

/** Files of the master that are open in other programs of this computer. */
class ExternalEdits {
  list = $state.raw<readonly ExternalEdit[]>([]);

  #stop: (() => void) | null = null;

  /** Hears of them from now on, also while other screens are shown. Once is enough, more does no harm. */
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

  /** Opens it in the program that this computer has for it. @throws OverworldError */
  readonly open = async (path: string): Promise<void> => {
    await request('files.openExternally', { path });
  };

  /** After a conflict: uploads what is here, takes what is there, or forgets it. @throws OverworldError */
  readonly settle = async (path: string, keep: 'mine' | 'theirs' | 'close'): Promise<void> => {
    await request('files.settleExternal', { path, keep });
  };
}

export const externalEdits = new ExternalEdits();
