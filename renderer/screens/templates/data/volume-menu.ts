import Copy from '@lucide/svelte/icons/copy';
import HeartCrack from '@lucide/svelte/icons/heart-crack';
import History from '@lucide/svelte/icons/history';
import Save from '@lucide/svelte/icons/save';
import Trash2 from '@lucide/svelte/icons/trash-2';
import type { Node } from '#shared/model/node.ts';
import { templateOfVolume, type Volume } from '#shared/model/volume.ts';
import { master } from '../../../stores/master.svelte.ts';
import { services } from '../../../stores/services.svelte.ts';
import type { MenuItem } from '../../../ui/overlay/menu.ts';
import { acceptLossRefusal, inUseRefusal, saveNowRefusal } from '../../../view/volume.ts';
import { saveVolume } from './volume-actions.ts';

/** A question about a volume that a dialog asks. */
export interface VolumeQuestion {
  readonly kind: 'saves' | 'clone' | 'accept-loss' | 'delete';
  readonly id: Volume['id'];
}

/**
 * Returns the context menu of a volume.
 *
 * @param nodes all nodes; null while they are unknown
 */
export function volumeMenu(
  volume: Volume,
  nodes: readonly Pick<Node, 'id' | 'state'>[] | null,
  onask: (question: VolumeQuestion) => void,
): readonly MenuItem[] {
  const { id } = volume;
  const refusal = master.refusal('operator', [templateOfVolume(id)]);
  const ask = (kind: VolumeQuestion['kind']) => (): void => onask({ kind, id });
  const without = volume.lastSave === null ? 'Nothing was saved yet' : undefined;
  return [
    {
      label: 'Save now',
      icon: Save,
      disabledBecause: refusal ?? saveNowRefusal(volume),
      onselect: () => void saveVolume(id),
    },
    { label: 'Show saves…', icon: History, keys: 'Enter', onselect: ask('saves') },
    {
      label: 'Clone to another volume…',
      icon: Copy,
      disabledBecause: refusal ?? without,
      onselect: ask('clone'),
    },
    { kind: 'separator' },
    {
      label: 'Accept loss of newest data…',
      icon: HeartCrack,
      danger: true,
      disabledBecause: refusal ?? acceptLossRefusal(volume, nodes, services.list),
      onselect: ask('accept-loss'),
    },
    {
      label: 'Delete volume…',
      icon: Trash2,
      danger: true,
      keys: 'Del',
      disabledBecause: refusal ?? inUseRefusal(volume),
      onselect: ask('delete'),
    },
  ];
}
