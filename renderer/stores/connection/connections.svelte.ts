import type { Connection, ConnectionDraft, ConnectionTest } from '#shared/ipc/contract.ts';
import { request, subscribe } from '../../bridge/bridge.ts';

/** The masters this app knows, as the main process stores them, with this computer's own master first. */
class Connections {
  /** Null until the main process has answered. */
  value = $state.raw<readonly Connection[] | null>(null);
  readonly list: readonly Connection[] = $derived(this.value ?? []);
  readonly active: Connection | null = $derived(this.list.find(({ active }) => active) ?? null);

  readonly connect = (): (() => void) => {
    let heard = false;
    const stop = subscribe('connections', (next) => {
      heard = true;
      this.value = next;
    });
    request('connections.list', {}).then(
      (first) => {
        if (!heard) this.value = first;
      },
      () => undefined,
    );
    return stop;
  };

  readonly get = (id: string): Connection | undefined => this.list.find((one) => one.id === id);

  /** Stores a new connection (`id` null) or a changed one. @throws OverworldError */
  readonly save = (id: string | null, draft: ConnectionDraft): Promise<Connection> =>
    request('connections.save', { id, draft });

  /** @throws OverworldError */
  readonly remove = (id: string): Promise<unknown> => request('connections.remove', { id });

  /** Switches to a connection. The window starts again with that master's data. @throws OverworldError */
  readonly use = (id: string): Promise<unknown> => request('connections.use', { id });

  /** Tries to connect without storing anything. @throws OverworldError */
  readonly test = (id: string | null, draft: ConnectionDraft): Promise<ConnectionTest> =>
    request('connections.test', { id, draft });

  /**
   * Trusts a host key that a person has compared. The app asks for confirmation once more. `typedName`: required if
   * another key was trusted before.
   *
   * @returns false if the person declined
   * @throws OverworldError
   */
  readonly trust = async (id: string, hostKey: string, typedName?: string): Promise<boolean> =>
    (await request('connections.trust', { id, hostKey, ...(typedName === undefined ? {} : { typedName }) }))
      .trusted;
}

export const connections = new Connections();
