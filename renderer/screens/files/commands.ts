import { bookmarks } from '../../stores/files/bookmarks.svelte.ts';
import { filesMemory } from '../../stores/files/files-memory.svelte.ts';
import { route } from '../../stores/app/route.svelte.ts';
import { toasts } from '../../ui/overlay/toasts.svelte.ts';
import { copyText } from '../services/actions.ts';
import { goUp, moveAcross, openEntry, paste, transfer } from './actions.ts';
import type { Desk } from './file-browser.svelte.ts';
import { countWords } from './browser/entries.ts';
import type { FileCommand } from './file-keys.ts';
import { otherSide, type Side } from './sides.ts';
import { isEditable } from './text-files.ts';

/** Runs a command of a key or menu on the selected entries of a side. Does nothing if it is not possible now. */
export function runCommand(desk: Desk, side: Side, command: FileCommand): void {
  doIt[command](desk, side);
}

const doIt: Readonly<Record<FileCommand, (desk: Desk, side: Side) => void>> = {
  up: goUp,
  rename: (desk, side) => {
    const pane = desk.pane(side);
    const { chosen } = pane;
    const [entry] = chosen;
    if (chosen.length !== 1 || entry === undefined) return;
    if (desk.changeRefusal({ side, entries: chosen }) === undefined) pane.renaming = entry.path;
  },
  delete: (desk, side) => {
    const entries = desk.pane(side).chosen;
    if (desk.changeRefusal({ side, entries }) === undefined) desk.asked = { kind: 'delete', side, entries };
  },
  'new folder': (desk, side) => {
    if (desk.putRefusal(side) === undefined) desk.asked = { kind: 'new folder', side };
  },
  copy: (desk, side) => take(desk, side, false),
  cut: (desk, side) => take(desk, side, true),
  paste: (desk, side) => void paste(desk, side),
  'copy path': (desk, side) => {
    const paths = desk.pane(side).chosen.map(({ path }) => path);
    void copyText((paths.length > 0 ? paths : [desk.pane(side).path]).join('\n'));
  },
  properties: (desk, side) => {
    const entries = desk.pane(side).chosen;
    if (entries.length > 0) desk.asked = { kind: 'properties', side, entries };
  },
  'other side': (desk, side) => desk.goTo(otherSide(side)),
  transfer: (desk, side) => {
    const what = { side, entries: desk.pane(side).chosen };
    if (side === 'remote' || desk.transferRefusal(what) === undefined) transfer(desk, what);
  },
  'move across': (desk, side) => {
    const what = { side, entries: desk.pane(side).chosen };
    if (desk.both && desk.moveRefusal(what) === undefined)
      moveAcross(desk, what, desk.pane(otherSide(side)).path);
  },
  edit: (desk, side) => {
    const [entry] = desk.pane(side).chosen;
    if (entry === undefined) return;
    if (side === 'remote' && isEditable(entry)) openEntry(desk, side, entry);
    else if (entry.kind === 'folder') openEntry(desk, side, entry);
  },
  refresh: (desk) => {
    void desk.remoteFolder.refresh();
    void desk.localFolder.refresh();
  },
  'type path': (desk, side) => (desk.pane(side).typingPath = true),
  filter: (desk, side) => desk.pane(side).filterField?.focus(),
  search: () => route.go('files', 'search'),
  hidden: () => filesMemory.set({ hidden: !filesMemory.view.hidden }),
  bookmark: (desk) => toggleBookmark(desk.remote.path),
};

/** Adds or removes a bookmark of a folder on the master, and shows a message. */
export function toggleBookmark(path: string): void {
  const had = bookmarks.has(path);
  if (!bookmarks.toggle(path))
    toasts.failed(new Error('The maximum number of bookmarks is reached. Remove one first'));
  else toasts.done(had ? `Removed the bookmark of ${path}` : `Bookmarked ${path}`);
}

function take(desk: Desk, side: Side, cut: boolean): void {
  const entries = desk.pane(side).chosen;
  if (entries.length === 0) return;
  if (cut && desk.changeRefusal({ side, entries }) !== undefined) return;
  const what = entries.length === 1 ? (entries[0]?.name ?? '') : countWords(entries);
  if (desk.clipboard !== null) toasts.close(desk.clipboard.notice);
  const notice = toasts.done(`${cut ? 'Cut' : 'Copied'} ${what}. Ctrl+V pastes on either side`);
  desk.clipboard = { side, entries, cut, notice };
}
