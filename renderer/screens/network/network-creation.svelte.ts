import type { OverworldError } from '#shared/errors/overworld-error.ts';
import { softwareName, softwareTraits, type SoftwareChoice } from '#shared/model/software.ts';
import { call } from '../../bridge/bridge.ts';
import { route } from '../../stores/app/route.svelte.ts';
import { OwnTask } from '../../stores/files/own-task.svelte.ts';
import { templates } from '../../stores/templates.svelte.ts';
import { DialogAction } from '../../ui/overlay/dialog-action.svelte.ts';
import { toasts } from '../../ui/overlay/toasts.svelte.ts';
import { toCountOf } from '../../view/format/numbers.ts';
import { shareOf } from '../software/published.svelte.ts';
import type { NetworkForm } from './network-form.svelte.ts';

/**
 * Creates a network: downloads its software to the master, and then creates all its templates at once. The dialog's
 * component creates it.
 */
export class NetworkCreation {
  /** Description of the running step. Null while nothing runs. */
  step = $state<string | null>(null);
  readonly #download = new OwnTask();
  readonly #action = new DialogAction();

  get running(): boolean {
    return this.#action.busy;
  }

  /** Why the last attempt failed. No template was created then. Downloaded software stays on the master. */
  get error(): OverworldError | null {
    return this.#action.error ?? this.#download.error;
  }

  /** Progress of the running download, from 0 to 1. Null while it is unknown. */
  get share(): number | null {
    return shareOf(this.#download.progress);
  }

  /**
   * Creates the network that a form describes. If the dialog was closed in the meantime, messages show the result.
   *
   * @param oncreated receives the ids of the new templates. Is not called if the creation failed ({@link error}) or
   *   was cancelled, or if the dialog was closed
   */
  readonly run = async (form: NetworkForm, oncreated: (ids: readonly string[]) => void): Promise<void> => {
    await this.#action.run(
      () => this.#create(form),
      (ids) => {
        if (ids !== null) oncreated(ids);
      },
      (ids) => {
        if (ids === null) return;
        const show = { label: 'Show', onselect: () => route.go('templates') };
        toasts.done(`Network of ${toCountOf(ids.length, 'template')} created`, show);
      },
    );
  };

  /** Cancels a running download. Templates that are being created are completed. */
  readonly cancel = (): Promise<void> => this.#download.cancel();

  async #create(form: NetworkForm): Promise<readonly string[] | null> {
    try {
      const proxy = await this.#get(form.software.proxy);
      const game = proxy === null ? null : await this.#get(form.software.game);
      if (proxy === null || game === null) return null;
      this.step = 'Creating the templates';
      const planned = form.planWith({ proxy, game });
      const made = await call('templates.createAll', { templates: [...planned], eula: form.eula });
      await templates.refresh();
      return made.map(({ id }) => id);
    } finally {
      this.step = null;
    }
  }

  /**
   * Downloads software to the master, unless the software is included in Overworld. Null if the download failed or
   * was cancelled.
   */
  async #get(choice: SoftwareChoice): Promise<SoftwareChoice | null> {
    if (softwareTraits[choice.software].isBundled) return choice;
    this.step = `Downloading ${softwareName(choice)}`;
    return this.#download.run(this.step, (task) => call('software.download', { ...choice, task }));
  }
}
