import { hasCode, toOverworldError } from '#shared/errors/overworld-error.ts';
import { CONTENTS_REFUSAL } from '#shared/model/access/role.ts';
import { request } from '../../bridge/bridge.ts';
import { PLACES } from '../../stores/files/local-folder.svelte.ts';
import type { Entry } from '../../stores/files/folder.svelte.ts';
import { route } from '../../stores/app/route.svelte.ts';
import { tasks } from '../../stores/files/tasks.svelte.ts';
import { transferPlans } from '../../stores/files/transfer-plans.svelte.ts';
import { toasts } from '../../ui/overlay/toasts.svelte.ts';
import { copyRefusal, nameRefusal } from './access.ts';
import type { Chosen, FileBrowser } from './file-browser.svelte.ts';
import { countWords } from './browser/entries.ts';
import { isWritable } from './paths.ts';
import { folderOn, joinOn, liesIn, nameOn, otherSide, type Side } from './sides.ts';
import { isEditable } from './text-files.ts';

/** Lets the person choose a folder of this computer that the app may use, and opens it. */
export async function addPlace(browser: FileBrowser): Promise<void> {
  await attempt(
    browser.localFolder.addPlace().then((added) => {
      if (added !== null) goToFolder(browser, 'local', added);
    }),
  );
}

/** Opens a folder. The route names the shown folder of the master, so that Back and Forward move between folders. */
export function goToFolder(browser: FileBrowser, side: Side, path: string): void {
  if (side === 'local') browser.local.show(path);
  else route.go('files', ...partsOf(path));
}

/** Opens the parent folder of the folder that a side shows. Does nothing at the top. */
export function goUp(browser: FileBrowser, side: Side): void {
  const pane = browser.pane(side);
  if (pane.parent === null) return;
  pane.leaveUpwards();
  goToFolder(browser, side, pane.parent);
}

/** Opens a file in the editor. */
export function edit(path: string): void {
  route.go('files', 'edit', ...partsOf(path));
}

/**
 * Shows an error if the role of the app's key does not permit reading files of the master.
 *
 * @returns whether the files cannot be read
 */
export function refuseUnreadable({ facts }: Pick<FileBrowser, 'facts'>): boolean {
  if (facts.readsFiles) return false;
  toasts.failed(new Error(CONTENTS_REFUSAL));
  return true;
}

/**
 * Handles Enter and a double click: opens a folder, shows the properties of a link or special file, edits a text
 * file of the master, and transfers any other file.
 */
export function openEntry(browser: FileBrowser, side: Side, entry: Entry): void {
  if (entry.kind === 'folder' && nameRefusal([entry]) === undefined) goToFolder(browser, side, entry.path);
  else if (entry.kind !== 'file') browser.asked = { kind: 'properties', side, entries: [entry] };
  else if (side === 'remote' && refuseUnreadable(browser)) return;
  else if (side === 'remote' && isEditable(entry)) edit(entry.path);
  else transfer(browser, { side, entries: [entry] });
}

/**
 * Transfers entries to the folder shown on the other side. To download entries while no folder of this computer is
 * shown, asks for a folder with the system's dialog.
 */
export function transfer(browser: FileBrowser, { side, entries }: Chosen): void {
  if (entries.length === 0) return;
  if (side === 'remote' && refuseUnreadable(browser)) return;
  const paths = entries.map(({ path }) => path);
  const target = browser.pane(otherSide(side)).path;
  if (side === 'remote' && (target === PLACES || !browser.both)) void transferPlans.downloadPicked(paths);
  else if (side === 'remote') void transferPlans.download(paths, target);
  else if (browser.transferRefusal({ side, entries }) === undefined) void transferPlans.upload(paths, target);
}

/** Moves entries to a folder of the other side. If the move deletes files on the master, asks first. */
export function moveAcross(browser: FileBrowser, what: Chosen, folder: string): void {
  if (what.side === 'remote') browser.asked = { kind: 'move across', ...what, folder };
  else
    void transferPlans.moveUp(
      what.entries.map(({ path }) => path),
      folder,
    );
}

/**
 * Copies or moves entries to a folder on either side. A failure becomes a message. Two cases open a dialog first: a
 * move that deletes files on the master, and a copy within the master.
 */
export async function send(
  browser: FileBrowser,
  what: Chosen,
  to: { readonly side: Side; readonly folder: string; readonly copy: boolean },
): Promise<void> {
  const paths = what.entries.map(({ path }) => path);
  if (what.side !== to.side && !to.copy) moveAcross(browser, what, to.folder);
  else if (what.side === 'local' && to.side === 'remote') await transferPlans.upload(paths, to.folder);
  else if (what.side === 'remote' && to.side === 'local') {
    if (!refuseUnreadable(browser)) await transferPlans.download(paths, to.folder);
  } else if (to.copy && to.side === 'remote') browser.asked = { kind: 'copy', entries: what.entries };
  else await move(browser, what, to.folder);
}

/**
 * Returns whether entries may be transferred to a folder. The folder must be writable. A folder on the same side as
 * the entries must not lie inside one of them, and must not be the folder that already contains them.
 */
export function fits(
  { side, entries }: Chosen,
  to: { readonly side: Side; readonly folder: string },
): boolean {
  if (to.side === 'remote' ? !isWritable(to.folder) : to.folder === PLACES) return false;
  if (side !== to.side) return true;
  return entries.every(({ path }) => !liesIn(to.folder, path) && folderOn(side, path) !== to.folder);
}

/** Moves entries within their side and offers to undo it. A failure becomes a message. */
export async function move(browser: FileBrowser, { side, entries }: Chosen, folder: string): Promise<void> {
  const [first] = entries;
  if (first === undefined) return;
  const from = folderOn(side, first.path);
  const moved = entries.map(({ name }) => joinOn(side, folder, name));
  const what = entries.length === 1 ? first.name : countWords(entries);
  const done = await attempt(
    browser.pane(side).folder.change(
      moveAll(
        side,
        entries.map(({ path }) => path),
        folder,
      ),
    ),
  );
  if (!done) return;
  browser.pane(side).selected = new Set();
  toasts.done(`Moved ${what} to ${nameOn(side, folder)}`, {
    label: 'Undo',
    onselect: () => void attempt(browser.pane(side).folder.change(moveAll(side, moved, from))),
  });
}

async function moveAll(side: Side, paths: readonly string[], folder: string): Promise<void> {
  if (side === 'remote') {
    await request('files.move', { paths: [...paths], folder });
    return;
  }
  for (const path of paths) {
    await request('local.rename', { from: path, to: joinOn(side, folder, nameOn(side, path)) });
  }
}

/** Renames an entry and selects it. A failure becomes a message. */
export async function rename(
  browser: FileBrowser,
  side: Side,
  { entry, name }: { entry: Entry; name: string },
): Promise<void> {
  const pane = browser.pane(side);
  const to = joinOn(side, folderOn(side, entry.path), name);
  const done = await attempt(
    pane.folder.change(
      request(side === 'remote' ? 'files.rename' : 'local.rename', { from: entry.path, to }),
    ),
  );
  if (done) pane.active = to;
}

/**
 * Creates a folder in the folder that a side shows, and selects it.
 *
 * @throws OverworldError as `files.makeFolder` or `local.makeFolder` does
 */
export async function makeFolder(browser: FileBrowser, side: Side, name: string): Promise<void> {
  const pane = browser.pane(side);
  const path = joinOn(side, pane.path, name);
  await pane.folder.change(request(side === 'remote' ? 'files.makeFolder' : 'local.makeFolder', { path }));
  pane.active = path;
}

/**
 * Deletes entries on the master, or moves entries of this computer to the trash, and shows a message.
 *
 * @throws OverworldError as `files.delete` or `local.trash` does
 */
export async function remove(browser: FileBrowser, { side, entries }: Chosen): Promise<void> {
  const pane = browser.pane(side);
  const paths = entries.map(({ path }) => path);
  const what = entries.length === 1 ? (entries[0]?.name ?? '') : countWords(entries);
  await pane.folder.change(
    side === 'remote'
      ? tasks.run(`Deleting ${what}`, (task) => request('files.delete', { paths, task }))
      : request('local.trash', { paths }),
  );
  pane.selected = new Set();
  toasts.done(side === 'remote' ? `Deleted ${what}` : `Moved ${what} to the trash`);
}

/** Pastes copied or cut entries into the folder shown on a side. */
export async function paste(browser: FileBrowser, side: Side): Promise<void> {
  const { clipboard } = browser;
  if (clipboard === null || browser.putRefusal(side) !== undefined) return;
  // The hint has served its purpose and would only cover the queue.
  toasts.close(clipboard.notice);
  const to = { side, folder: browser.pane(side).path, copy: !clipboard.cut };
  if (clipboard.side === side && side === 'local' && to.copy) {
    await copyHere(browser, clipboard.entries);
    return;
  }
  if (clipboard.side === 'remote' && side === 'remote' && to.copy) {
    const refusal = copyRefusal(clipboard.entries);
    if (refusal !== undefined) {
      toasts.failed(new Error(refusal));
      return;
    }
    browser.asked = { kind: 'copy', entries: clipboard.entries };
    return;
  }
  if (!fits(clipboard, to)) return;
  if (clipboard.cut) browser.clipboard = null;
  await send(browser, clipboard, to);
}

/** Copies entries of this computer to the shown folder of this computer. */
async function copyHere(browser: FileBrowser, entries: readonly Entry[]): Promise<void> {
  const pane = browser.pane('local');
  const what = entries.length === 1 ? (entries[0]?.name ?? '') : countWords(entries);
  const paths = entries.map(({ path }) => path);
  const to = pane.path;
  const name = nameOn('local', to);
  const copy = tasks.run(`Copying ${what} to ${name}`, (task) =>
    request('local.copy', { paths, folder: to, task }),
  );
  const shown = pane.folder.change(copy).then(
    () => toasts.done(`Copied ${what} to ${name}`),
    (thrown: unknown) => {
      // A cancelled task is no failure.
      if (!hasCode(thrown, 'TASK_CANCELLED')) throw thrown;
      toasts.done(`Stopped copying ${what}. Files copied so far stay`);
    },
  );
  await attempt(shown);
}

/** Waits for an action, and shows a message if it fails. @returns whether the action succeeded */
export async function attempt(work: Promise<unknown>): Promise<boolean> {
  try {
    await work;
    return true;
  } catch (thrown) {
    toasts.failed(toOverworldError(thrown));
    return false;
  }
}

function partsOf(path: string): string[] {
  return path.split('/').filter((part) => part !== '');
}
