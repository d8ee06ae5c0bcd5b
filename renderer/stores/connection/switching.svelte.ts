import type { Connection } from '#shared/ipc/contract.ts';
import { toOverworldError } from '#shared/errors/overworld-error.ts';
import { toasts } from '../../ui/overlay/toasts.svelte.ts';
import { connections } from './connections.svelte.ts';
import { allUnsaved } from '../documents/unsaved.svelte.ts';

/** Switching to another master restarts the window. Unsaved input would be lost, so it asks first. */
class Switching {
  /** The connection that waits for confirmation. */
  to = $state.raw<Connection | null>(null);

  /** Switches to a connection, or asks first if unsaved input would be lost. */
  readonly ask = (connection: Connection): void => {
    if (connection.active) return;
    if (allUnsaved().length > 0) this.to = connection;
    else this.go(connection).catch((thrown: unknown) => toasts.failed(toOverworldError(thrown)));
  };

  /** @throws OverworldError */
  readonly go = async (connection: Connection): Promise<void> => {
    await connections.use(connection.id);
  };

  readonly close = (): void => {
    this.to = null;
  };
}

export const switching = new Switching();
