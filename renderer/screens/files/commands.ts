import { bookmarks } from '../../stores/files/bookmarks.svelte.ts';
import { filesMemory } from '../../stores/files/files-memory.svelte.ts';
import { route } from '../../stores/app/route.svelte.ts';
import { toasts } from '../../ui/overlay/toasts.svelte.ts';
import { copyText } from '../services/actions.ts';
import { goUp, moveAcross, openEntry, paste, transfer } from './actions.ts';
import type { Chosen, FileBrowser } from './file-browser.svelte.ts';
import { countWords } from './browser/entries.ts';
import type { FileCommand } from './file-keys.ts';
import { otherSide, type Side } from './sides.ts';
import { isEditable } from './text-files.ts';

/**
 * Runs a command of a key or menu on the selected entries of a side. Does nothing if the command is not possible now.
 */
export function runCommand(browser: FileBrowser, side: Side, command: FileCommand): void {
  doIt[command](browser, side);
}

const doIt: Readonly<Record<FileCommand, (browser: FileBrowser, side: Side) => void>> = {
  up: goUp,
  rename: (browser, side) => {
    const pane = browser.pane(side);
    const { chosen } = pane;
    const [entry] = chosen;
    if (chosen.length !== 1 || entry === undefined) return;
    if (browser.changeRefusal({ side, entries: chosen }) === undefined) pane.renaming = entry.path;
  },
  delete: (browser, side) => {
    const entries = browser.pane(side).chosen;
    if (browser.changeRefusal({ side, entries }) === undefined)
      browser.asked = { kind: 'delete', side, entries };
  },
  'new folder': (browser, side) => {
    if (browser.putRefusal(side) === undefined) browser.asked = { kind: 'new folder', side };
  },
  copy: (browser, side) => take(browser, { side, entries: browser.pane(side).chosen }, 'copy'),
  cut: (browser, side) => take(browser, { side, entries: browser.pane(side).chosen }, 'cut'),
  paste: (browser, side) => void paste(browser, side),
  'copy path': (browser, side) => {
    const paths = browser.pane(side).chosen.map(({ path }) => path);
    void copyText((paths.length > 0 ? paths : [browser.pane(side).path]).join('\n'));
  },
  properties: (browser, side) => {
    const entries = browser.pane(side).chosen;
    if (entries.length > 0) browser.asked = { kind: 'properties', side, entries };
  },
  'other side': (browser, side) => browser.goTo(otherSide(side)),
  transfer: (browser, side) => {
    const what = { side, entries: browser.pane(side).chosen };
    if (side === 'remote' || browser.transferRefusal(what) === undefined) transfer(browser, what);
  },
  'move across': (browser, side) => {
    const what = { side, entries: browser.pane(side).chosen };
    if (browser.both && browser.moveRefusal(what) === undefined)
      moveAcross(browser, what, browser.pane(otherSide(side)).path);
  },
  edit: (browser, side) => {
    const [entry] = browser.pane(side).chosen;
    if (entry === undefined) return;
    if (side === 'remote' && isEditable(entry)) openEntry(browser, side, entry);
    else if (entry.kind === 'folder') openEntry(browser, side, entry);
  },
  refresh: (browser) => {
    void browser.remoteFolder.refresh();
    void browser.localFolder.refresh();
  },
  'type path': (browser, side) => (browser.pane(side).typingPath = true),
  filter: (browser, side) => browser.pane(side).filterField?.focus(),
  search: () => route.go('files', 'search'),
  hidden: () => filesMemory.set({ hidden: !filesMemory.view.hidden }),
  bookmark: (browser) => toggleBookmark(browser.remote.path),
};

/** Adds or removes a bookmark of a folder on the master, and shows a message. */
export function toggleBookmark(path: string): void {
  const had = bookmarks.has(path);
  if (!bookmarks.toggle(path))
    toasts.failed(new Error('The maximum number of bookmarks is reached. Remove one first'));
  else toasts.done(had ? `Removed the bookmark of ${path}` : `Bookmarked ${path}`);
}

/** Puts entries on the clipboard, and shows a message. Does nothing without entries, or if they cannot be cut. */
export function take(browser: FileBrowser, { side, entries }: Chosen, how: 'copy' | 'cut'): void {
  if (entries.length === 0) return;
  const cut = how === 'cut';
  if (cut && browser.changeRefusal({ side, entries }) !== undefined) return;
  const what = entries.length === 1 ? (entries[0]?.name ?? '') : countWords(entries);
  if (browser.clipboard !== null) toasts.close(browser.clipboard.notice);
  const notice = toasts.done(`${cut ? 'Cut' : 'Copied'} ${what}. Ctrl+V pastes on either side`);
  browser.clipboard = { side, entries, cut, notice };
}
