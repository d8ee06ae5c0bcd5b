import type { Connection } from '#shared/ipc/contract.ts';
import { toOverworldError } from '#shared/errors/overworld-error.ts';
import { toasts } from '../../ui/overlay/toasts.svelte.ts';
import { connections } from './connections.svelte.ts';
import { allUnsaved } from '../documents/unsaved.svelte.ts';

/**
 * Switches to another master. A switch reloads the window, so the window first asks what to do with unsaved input.
 */
class Switching {
  /** The connection for which the question about unsaved input is shown. Null if no question is shown. */
  to = $state.raw<Connection | null>(null);

  /** Switches to a connection. If unsaved input would be lost, shows a question first. */
  readonly ask = (connection: Connection): void => {
    if (connection.active) return;
    if (allUnsaved().length > 0) this.to = connection;
    else this.go(connection).catch((thrown: unknown) => toasts.failed(toOverworldError(thrown)));
  };

  /** Switches to a connection without asking. @throws OverworldError */
  readonly go = async (connection: Connection): Promise<void> => {
    await connections.use(connection.id);
  };

  readonly close = (): void => {
    this.to = null;
  };
}

export const switching = new Switching();
