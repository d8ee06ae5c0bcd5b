import type { Connection, ConnectionDraft, ConnectionTest } from '#shared/ipc/contract.ts';
import { request, subscribe } from '../../bridge/bridge.ts';

/** The connection profiles of all masters that this app knows. The embedded master of this computer comes first. */
class Connections {
  /** All profiles. Null until the main process has responded. */
  value = $state.raw<readonly Connection[] | null>(null);
  readonly list: readonly Connection[] = $derived(this.value ?? []);
  readonly active: Connection | null = $derived(this.list.find(({ active }) => active) ?? null);

  readonly connect = (): (() => void) => {
    let isUpdated = false;
    const stop = subscribe('connections', (next) => {
      isUpdated = true;
      this.value = next;
    });
    request('connections.list', {}).then(
      (first) => {
        if (!isUpdated) this.value = first;
      },
      () => undefined,
    );
    return stop;
  };

  readonly get = (id: string): Connection | undefined => this.list.find((one) => one.id === id);

  /** Stores a new connection (`id` null) or a changed one. @throws OverworldError */
  readonly save = (id: string | null, draft: ConnectionDraft): Promise<Connection> =>
    request('connections.save', { id, draft });

  /** Removes a connection. @throws OverworldError */
  readonly remove = (id: string): Promise<unknown> => request('connections.remove', { id });

  /** Switches to a connection. The window is reloaded with the data of its master. @throws OverworldError */
  readonly use = (id: string): Promise<unknown> => request('connections.use', { id });

  /** Connects to a master and identifies it. Stores nothing. @throws OverworldError */
  readonly test = (id: string | null, draft: ConnectionDraft): Promise<ConnectionTest> =>
    request('connections.test', { id, draft });

  /**
   * Trusts a host key that a person has compared. The main process first asks for confirmation in a dialog of its
   * own.
   *
   * @param typedName name of the connection as the person typed it; required if another key was trusted before
   * @returns false if the person declined
   * @throws OverworldError
   */
  readonly trust = async (id: string, hostKey: string, typedName?: string): Promise<boolean> =>
    (await request('connections.trust', { id, hostKey, ...(typedName === undefined ? {} : { typedName }) }))
      .trusted;
}

export const connections = new Connections();
