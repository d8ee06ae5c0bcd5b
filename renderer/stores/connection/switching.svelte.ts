import type { Connection } from '#shared/ipc/contract.ts';
import { toOverworldError } from '#shared/errors/overworld-error.ts';
import { toasts } from '../../ui/overlay/toasts.svelte.ts';
import { connections } from './connections.svelte.ts';
import { allUnsaved } from '../documents/unsaved.svelte.ts';

/** A question whether unsaved input may be lost by a switch to another master. */
interface SwitchQuestion {
  /** Name of the connection to the other master. */
  readonly name: string;
  readonly answer: (mayDiscard: boolean) => void;
}

/**
 * Switches to another master. A switch reloads the window, so the window first asks what to do with unsaved input.
 */
class Switching {
  /** The displayed question about unsaved input. Null if none is displayed. */
  question = $state.raw<SwitchQuestion | null>(null);

  /** Switches to a connection. If unsaved input would be lost, asks first. A failure becomes a message that stays. */
  readonly ask = (connection: Connection): void => {
    if (!connection.active) void this.#askAndSwitch(connection);
  };

  /**
   * Asks whether unsaved input may be lost. Called before each action after which the connection in use may lead to
   * another master.
   *
   * @param name name of the connection
   * @returns true if the person agrees, or if there is no unsaved input
   */
  readonly mayDiscard = async (name: string): Promise<boolean> => {
    this.question?.answer(false);
    if (allUnsaved().length === 0) return true;
    return new Promise((resolve) => {
      this.question = {
        name,
        answer: (mayDiscard) => {
          this.question = null;
          resolve(mayDiscard);
        },
      };
    });
  };

  async #askAndSwitch({ id, name }: Connection): Promise<void> {
    if (!(await this.mayDiscard(name))) return;
    try {
      await connections.use(id);
    } catch (thrown) {
      toasts.failed(toOverworldError(thrown));
    }
  }
}

export const switching = new Switching();
