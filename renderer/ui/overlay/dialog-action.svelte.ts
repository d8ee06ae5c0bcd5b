import { onDestroy } from 'svelte';
import { toOverworldError, type OverworldError } from '#shared/errors/overworld-error.ts';
import { toasts } from './toasts.svelte.ts';

/**
 * The action of a dialog that a component shows as long as it exists. The component creates it. The person may close
 * the dialog while the action runs: the result then must not close the next dialog, and a failure must not be lost.
 */
export class DialogAction {
  busy = $state(false);
  error = $state.raw<OverworldError | null>(null);
  #isClosed = false;

  constructor() {
    onDestroy(() => (this.#isClosed = true));
  }

  /**
   * Runs the action, and then closes the dialog. If the action fails, the dialog shows the error. If the dialog was
   * closed in the meantime, a message shows it.
   *
   * @param close closes the dialog, and can then open the result, such as the page of a new template
   * @param late reports the result if the dialog was closed in the meantime. Must not leave the current screen
   * @returns whether the action succeeded
   */
  async run<T>(
    action: () => Promise<T>,
    close: (result: T) => void,
    late: (result: T) => void = () => undefined,
  ): Promise<boolean> {
    this.busy = true;
    this.error = null;
    let result: T;
    try {
      result = await action();
    } catch (thrown) {
      if (this.#isClosed) toasts.failed(toOverworldError(thrown));
      else this.error = toOverworldError(thrown);
      return false;
    } finally {
      this.busy = false;
    }
    // Not inside `try`, because an error of these functions is no failure of the action.
    if (this.#isClosed) late(result);
    else close(result);
    return true;
  }
}
