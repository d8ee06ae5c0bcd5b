import type { OverworldError } from '#shared/errors/overworld-error.ts';
import {
  softwareIds,
  softwareName,
  softwareTraits,
  type PublishedBuild,
  type PublishedVersion,
  type SoftwareChoice,
  type SoftwareId,
} from '#shared/model/software.ts';
import type { Template } from '#shared/model/template.ts';
import { call } from '../../bridge/bridge.ts';
import { OwnTask } from '../../stores/files/own-task.svelte.ts';
import { templates } from '../../stores/templates.svelte.ts';
import { DialogAction } from '../../ui/overlay/dialog-action.svelte.ts';
import { newestOf, PublishedList, shareOf } from './published.svelte.ts';

/** A build that was put into a template. */
interface Installed {
  readonly choice: SoftwareChoice;
  /** The template's revision before the installation. Null if there was none. */
  readonly before: string | null;
}

/** The form for the software of a template, and its installation. The dialog's component creates it. */
export class SoftwareForm {
  readonly template: Template;
  /** Software that fits the template's type. */
  readonly offered: readonly SoftwareId[];
  software = $state<SoftwareId>('paper');
  chosenVersion = $state<string | null>(null);
  chosenBuild = $state<string | null>(null);
  eula = $state(false);
  /** Description of the running step. Null while nothing runs. */
  step = $state<string | null>(null);
  readonly versions = new PublishedList<PublishedVersion>();
  readonly builds = new PublishedList<PublishedBuild>();
  readonly #download = new OwnTask();
  readonly #action = new DialogAction();

  readonly traits = $derived(softwareTraits[this.software]);
  readonly version: string | null = $derived(
    this.chosenVersion ?? newestOf(this.versions.list ?? [])?.version ?? null,
  );
  readonly build: string | null = $derived(
    this.chosenBuild ?? newestOf(this.builds.list ?? [])?.build ?? null,
  );
  /** The chosen build. Null until the lists have arrived. */
  readonly choice: SoftwareChoice | null = $derived.by(() => {
    const { software } = this;
    if (this.traits.isBundled) return { software, version: null, build: null };
    if (this.version === null || this.builds.list === null) return null;
    return { software, version: this.version, build: this.build };
  });

  constructor(template: Template, start: SoftwareChoice | null) {
    this.template = template;
    const { isProxy } = template.config;
    const ofType = softwareIds.filter((id) => softwareTraits[id].isProxy === isProxy);
    this.offered = [
      ...ofType.filter((id) => !softwareTraits[id].isBundled),
      ...ofType.filter((id) => softwareTraits[id].isBundled),
    ];
    const known = start ?? template.software;
    this.software =
      known !== null && this.offered.includes(known.software) ? known.software : (this.offered[0] ?? 'paper');
    if (known !== null && known.software === this.software) this.chosenVersion = known.version;
    if (start !== null && start.software === this.software) this.chosenBuild = start.build;
  }

  /** Why the last attempt failed. */
  get error(): OverworldError | null {
    return this.#action.error ?? this.#download.error;
  }

  /** Progress of the running download, from 0 to 1. Null while it is unknown. */
  get share(): number | null {
    return shareOf(this.#download.progress);
  }

  /** Requests the lists that the current choice needs. */
  readonly load = (): void => {
    const { software, version } = this;
    const key = this.traits.isBundled ? null : software;
    this.versions.show(key, () => call('software.versions', { software }));
    this.builds.show(key === null || version === null ? null : `${key} ${version}`, () =>
      call('software.builds', { software, version: version ?? '' }),
    );
  };

  readonly choose = (software: SoftwareId): void => {
    this.software = software;
    this.chosenVersion = null;
    this.chosenBuild = null;
  };

  readonly chooseVersion = (version: string): void => {
    this.chosenVersion = version;
    this.chosenBuild = null;
  };

  /**
   * Downloads the chosen build to the master, and puts it into the template. If the dialog was closed before a
   * failure, a message shows the failure.
   *
   * @param oninstalled receives the installed build, even if the dialog was closed. Is not called if the installation
   *   failed ({@link error}) or was cancelled
   */
  readonly install = async (oninstalled: (installed: Installed) => void): Promise<void> => {
    const report = (installed: Installed | null): void => {
      if (installed !== null) oninstalled(installed);
    };
    await this.#action.run(() => this.#install(), report, report);
  };

  /** Cancels a running download. */
  readonly cancel = (): Promise<void> => this.#download.cancel();

  async #install(): Promise<Installed | null> {
    const { choice, eula } = this;
    if (choice === null) return null;
    try {
      const label = `Downloading ${softwareName(choice)}`;
      this.step = label;
      const loaded = this.traits.isBundled
        ? choice
        : await this.#download.run(label, (task) => call('software.download', { ...choice, task }));
      if (loaded === null) return null;
      this.step = 'Putting it into the template';
      const { before } = await call('software.install', { id: this.template.id, ...loaded, eula });
      await templates.refresh();
      return { choice: loaded, before };
    } finally {
      this.step = null;
    }
  }
}
