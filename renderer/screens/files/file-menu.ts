import Download from '@lucide/svelte/icons/download';
import FolderOpen from '@lucide/svelte/icons/folder-open';
import Pencil from '@lucide/svelte/icons/pencil';
import Trash2 from '@lucide/svelte/icons/trash-2';
import Copy from '@lucide/svelte/icons/copy';
import type { RemoteEntry } from '#shared/ipc/contract.ts';
import type { MenuItem } from '../../ui/menu.ts';
import { copyText } from '../services/actions.ts';

interface Actions {
  /** Why these cannot be changed, or nothing can be read; undefined when it can. */
  readonly changeRefusal: string | undefined;
  readonly readRefusal: string | undefined;
  readonly onopen: (entry: RemoteEntry) => void;
  readonly ondownload: (entries: readonly RemoteEntry[]) => void;
  readonly onrename: (entry: RemoteEntry) => void;
  readonly ondelete: (entries: readonly RemoteEntry[]) => void;
}

/** The row menu of one or several entries. */
export function fileMenu(entries: readonly RemoteEntry[], actions: Actions): readonly MenuItem[] {
  const [first] = entries;
  if (first === undefined) return [];
  const one = entries.length === 1;
  const open: MenuItem[] =
    one && first.kind === 'folder'
      ? [{ label: 'Open', icon: FolderOpen, keys: 'Enter', onselect: () => actions.onopen(first) }]
      : [];
  return [
    ...open,
    {
      label: one ? 'Download' : `Download ${entries.length} entries`,
      icon: Download,
      disabledBecause: actions.readRefusal,
      onselect: () => actions.ondownload(entries),
    },
    {
      label: one ? 'Copy path' : 'Copy paths',
      icon: Copy,
      onselect: () => void copyText(entries.map(({ path }) => path).join('\n')),
    },
    { kind: 'separator' },
    {
      label: 'Rename',
      icon: Pencil,
      keys: 'F2',
      disabledBecause: one ? actions.changeRefusal : 'One at a time',
      onselect: () => actions.onrename(first),
    },
    {
      label: one ? 'Delete' : `Delete ${entries.length} entries`,
      icon: Trash2,
      danger: true,
      keys: 'Del',
      disabledBecause: actions.changeRefusal,
      onselect: () => actions.ondelete(entries),
    },
  ];
}
