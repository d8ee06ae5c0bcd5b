import type { Volume } from '#shared/model/volume.ts';
import { templateOfVolume } from '#shared/model/volume.ts';
import { call } from '../bridge/bridge.ts';
import { volumeSortKey } from '../view/volume.ts';
import { Fetched } from './fetched.svelte.ts';

/**
 * Delay of requests for volumes. If many volumes are saved one after the other, the list is requested at most every
 * two seconds.
 */
const PACE = { quietMs: 300, capMs: 2000 };

/** All volumes, sorted by template and number. Includes volumes of templates that no longer exist. */
class Volumes extends Fetched<readonly Volume[]> {
  readonly list: readonly Volume[] = $derived(
    [...(this.value ?? [])].sort((a, b) => (volumeSortKey(a) < volumeSortKey(b) ? -1 : 1)),
  );

  constructor() {
    super(
      () => call('volumes.list', {}),
      () => PACE,
    );
  }

  /** Returns the volumes of a template. */
  readonly of = (template: string): readonly Volume[] =>
    this.list.filter(({ id }) => templateOfVolume(id) === template);

  readonly get = (id: string): Volume | undefined => this.list.find((volume) => volume.id === id);
}

export const volumes = new Volumes();
