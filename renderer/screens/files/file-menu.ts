import ArrowLeftRight from '@lucide/svelte/icons/arrow-left-right';
import ArrowRightLeft from '@lucide/svelte/icons/arrow-right-left';
import ClipboardCopy from '@lucide/svelte/icons/clipboard-copy';
import Copy from '@lucide/svelte/icons/copy';
import CopyPlus from '@lucide/svelte/icons/copy-plus';
import Download from '@lucide/svelte/icons/download';
import ExternalLink from '@lucide/svelte/icons/external-link';
import FolderInput from '@lucide/svelte/icons/folder-input';
import FolderOpen from '@lucide/svelte/icons/folder-open';
import History from '@lucide/svelte/icons/history';
import Info from '@lucide/svelte/icons/info';
import KeyRound from '@lucide/svelte/icons/key-round';
import Pencil from '@lucide/svelte/icons/pencil';
import Scissors from '@lucide/svelte/icons/scissors';
import SquarePen from '@lucide/svelte/icons/square-pen';
import Trash2 from '@lucide/svelte/icons/trash-2';
import Upload from '@lucide/svelte/icons/upload';
import { request } from '../../bridge/bridge.ts';
import type { Entry } from '../../stores/files/folder.svelte.ts';
import { externalEdits } from '../../stores/files/external-edits.svelte.ts';
import { transferPlans } from '../../stores/files/transfer-plans.svelte.ts';
import type { MenuItem } from '../../ui/overlay/menu.ts';
import { copyText } from '../services/actions.ts';
import { copyRefusal, listRefusal, nameRefusal, readRefusal } from './access.ts';
import { attempt, edit, moveAcross, openEntry, transfer } from './actions.ts';
import { take } from './commands.ts';
import type { Chosen, FileBrowser } from './file-browser.svelte.ts';
import { isTemplateRoot, templateOf } from './paths.ts';
import { folderOn, nameOn, otherSide, sideNames, type Side } from './sides.ts';
import { isEditable } from './text-files.ts';

/** Returns the context menu of one or several entries of a side. */
export function fileMenu(browser: FileBrowser, side: Side, entries: readonly Entry[]): readonly MenuItem[] {
  const [first] = entries;
  if (first === undefined) return [];
  const one = entries.length === 1;
  return [
    ...(one ? openItems(browser, side, first) : []),
    ...transferItems(browser, side, entries),
    { kind: 'separator' },
    ...clipboardItems(browser, { side, entries }),
    ...(side === 'remote' ? masterItems(browser, entries) : []),
    ...pathItems(side, entries),
    { kind: 'separator' },
    ...changeItems(browser, side, entries),
  ];
}

function openItems(browser: FileBrowser, side: Side, entry: Entry): MenuItem[] {
  if (entry.kind === 'folder') {
    return [
      { label: 'Open', icon: FolderOpen, keys: 'Enter', onselect: () => openEntry(browser, side, entry) },
    ];
  }
  if (side === 'local') {
    return [
      {
        label: 'Show in file manager',
        icon: ExternalLink,
        onselect: () => void attempt(request('local.reveal', { path: entry.path })),
      },
    ];
  }
  const refusal = nameRefusal([entry]) ?? readRefusal(browser.facts);
  return [
    {
      label: 'Edit',
      icon: SquarePen,
      keys: 'Enter',
      disabledBecause:
        refusal ?? (isEditable(entry) ? undefined : 'Not a text file, or too large for the editor'),
      onselect: () => edit(entry.path),
    },
    {
      label: 'Open in other program',
      icon: ExternalLink,
      disabledBecause: refusal,
      onselect: () => void attempt(externalEdits.open(entry.path)),
    },
  ];
}

function transferItems(browser: FileBrowser, side: Side, entries: readonly Entry[]): MenuItem[] {
  const what = { side, entries };
  const count = entries.length === 1 ? '' : ` ${entries.length} entries`;
  const other = otherSide(side);
  const there = browser.pane(other).path;
  const leave: MenuItem = {
    label: `Move${count} to ${nameOn(other, there) || sideNames[other].toLowerCase()}`,
    icon: ArrowRightLeft,
    keys: 'Ctrl Shift Enter',
    disabledBecause: browser.moveRefusal(what),
    onselect: () => moveAcross(browser, what, there),
  };
  const moves = browser.both ? [leave] : [];
  if (side === 'local') {
    return [
      {
        label: `Upload${count}`,
        icon: Upload,
        keys: 'Ctrl Enter',
        disabledBecause: browser.transferRefusal(what),
        onselect: () => transfer(browser, what),
      },
      ...moves,
    ];
  }
  const refusal = readRefusal(browser.facts) ?? nameRefusal(entries);
  const across: MenuItem = {
    label: `Download${count} to ${nameOn('local', browser.local.path) || 'this computer'}`,
    icon: ArrowLeftRight,
    keys: 'Ctrl Enter',
    disabledBecause: refusal ?? browser.transferRefusal(what),
    onselect: () => transfer(browser, what),
  };
  return [
    ...(browser.both ? [across] : []),
    {
      label: `Download${count} to…`,
      icon: Download,
      disabledBecause: refusal,
      onselect: () => void transferPlans.downloadPicked(entries.map(({ path }) => path)),
    },
    ...moves,
  ];
}

function clipboardItems(browser: FileBrowser, what: Chosen): MenuItem[] {
  return [
    { label: 'Copy', icon: Copy, keys: 'Ctrl C', onselect: () => take(browser, what, 'copy') },
    {
      label: 'Cut',
      icon: Scissors,
      keys: 'Ctrl X',
      disabledBecause: browser.changeRefusal(what),
      onselect: () => take(browser, what, 'cut'),
    },
  ];
}

function masterItems(browser: FileBrowser, entries: readonly Entry[]): MenuItem[] {
  const template = entries.length === 1 && isTemplateRoot(entries[0]?.path ?? '') ? entries[0] : undefined;
  const history: MenuItem[] =
    template === undefined
      ? []
      : [
          {
            label: 'Revisions…',
            icon: History,
            disabledBecause: listRefusal(browser.facts),
            onselect: () =>
              (browser.asked = { kind: 'history', template: templateOf(template.path) ?? template.name }),
          },
        ];
  return [
    {
      label: 'Copy to…',
      icon: CopyPlus,
      disabledBecause: browser.writeRefusal ?? copyRefusal(entries),
      onselect: () => (browser.asked = { kind: 'copy', entries }),
    },
    {
      label: 'Move to…',
      icon: FolderInput,
      disabledBecause: browser.changeRefusal({ side: 'remote', entries }),
      onselect: () => (browser.asked = { kind: 'move', entries }),
    },
    ...history,
  ];
}

function pathItems(side: Side, entries: readonly Entry[]): MenuItem[] {
  const lines = (of: (entry: Entry) => string): string => [...new Set(entries.map(of))].join('\n');
  return [
    {
      label: 'Copy path',
      icon: ClipboardCopy,
      keys: 'Ctrl Shift C',
      onselect: () => void copyText(lines(({ path }) => path)),
    },
    { label: 'Copy name', icon: ClipboardCopy, onselect: () => void copyText(lines(({ name }) => name)) },
    {
      label: 'Copy path of the folder',
      icon: ClipboardCopy,
      onselect: () => void copyText(lines(({ path }) => folderOn(side, path))),
    },
  ];
}

function changeItems(browser: FileBrowser, side: Side, entries: readonly Entry[]): MenuItem[] {
  const what = { side, entries };
  const refusal = browser.changeRefusal(what);
  const one = entries.length === 1;
  const permissions: MenuItem = {
    label: 'Permissions…',
    icon: KeyRound,
    disabledBecause: refusal,
    onselect: () => (browser.asked = { kind: 'permissions', entries }),
  };
  return [
    {
      label: 'Rename',
      icon: Pencil,
      keys: 'F2',
      disabledBecause: one ? refusal : 'One at a time',
      onselect: () => (browser.pane(side).renaming = entries[0]?.path ?? null),
    },
    ...(side === 'remote' ? [permissions] : []),
    {
      label: 'Properties',
      icon: Info,
      keys: 'Alt Enter',
      onselect: () => (browser.asked = { kind: 'properties', ...what }),
    },
    {
      label: side === 'local' ? 'Move to trash' : one ? 'Delete' : `Delete ${entries.length} entries`,
      icon: Trash2,
      danger: true,
      keys: 'Del',
      disabledBecause: refusal,
      onselect: () => (browser.asked = { kind: 'delete', ...what }),
    },
  ];
}
