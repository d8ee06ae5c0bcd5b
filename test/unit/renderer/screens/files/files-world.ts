import { fireEvent, render, screen, within } from '@testing-library/svelte';
import FilesScreen from '#renderer/screens/files/FilesScreen.svelte';
import { resetFileBrowser } from '#renderer/screens/files/open-file-browser.ts';
import { filesMemory } from '#renderer/stores/files/files-memory.svelte.ts';
import { route } from '#renderer/stores/app/route.svelte.ts';
import { tasks } from '#renderer/stores/files/tasks.svelte.ts';
import { OverworldError } from '#shared/errors/overworld-error.ts';
import type { RemoteEntry, TransferPlan } from '#shared/ipc/contract.ts';
import type { FakeBridge } from '#test/support/app/fake-bridge.ts';
import { AT, aService, aTemplate, anEntry } from '#test/support/app/models.ts';
import { connectStores } from '../../support/open-screen.ts';
import { pretendLayout } from '../../support/pretend-layout.ts';
import { bridgeOver, type WindowWorld } from '../../support/window-world.ts';

export const REMOTE = { name: 'Files: Master' };
export const LOCAL = { name: 'Files: This computer' };

/** Entries of each folder, by path. Every request reads them again. */
export type Folders = Record<string, RemoteEntry[]>;

export function someRemoteFolders(): Folders {
  return {
    '/': [anEntry('/templates', { kind: 'folder' }), anEntry('/files', { kind: 'folder' })],
    '/templates': [anEntry('/templates/lobby', { kind: 'folder' })],
    '/templates/lobby': [
      anEntry('/templates/lobby/plugins', { kind: 'folder' }),
      anEntry('/templates/lobby/server.jar'),
      anEntry('/templates/lobby/eula.txt'),
      anEntry('/templates/lobby/.git', { kind: 'folder' }),
    ],
    '/templates/lobby/plugins': [],
  };
}

export function someLocalFolders(): Folders {
  return {
    '/home/anna': [
      anEntry('/home/anna/server', { kind: 'folder' }),
      anEntry('/home/anna/motd.txt'),
      anEntry('/home/anna/paper.jar'),
    ],
    '/home/anna/server': [anEntry('/home/anna/server/world.dat')],
  };
}

/** Returns a plan without conflicts. */
export function aPlan(plan: string, rest: Partial<TransferPlan> = {}): TransferPlan {
  return { plan, files: 1, bytes: 1024, conflicts: [], ...rest };
}

/** Returns a conflict with an existing name. By default the existing file is one day older. */
export function aConflict(
  name: string,
  rest: Partial<TransferPlan['conflicts'][number]> = {},
): TransferPlan['conflicts'][number] {
  return {
    name,
    kind: 'file',
    source: { bytes: 2048, files: 1, modifiedAt: AT },
    target: { kind: 'file', bytes: 1024, modifiedAt: AT - 86_400_000 },
    resumable: false,
    ...rest,
  };
}

/** Chooses an item in the toolbar's overflow menu. The item acts on the `count` selected entries. */
export async function chooseMore(count: number, item: string): Promise<void> {
  const button = screen.getByRole('button', { name: `More actions for ${count} selected` });
  button.focus();
  await fireEvent.keyDown(button, { key: 'Enter' });
  await fireEvent.click(within(await screen.findByRole('menu')).getByRole('menuitem', { name: item }));
}

/** The Files screen with simulated folders on both sides. */
export class FilesWorld {
  readonly remote = someRemoteFolders();
  readonly local = someLocalFolders();
  readonly bridge: FakeBridge;
  readonly #stops: (() => void)[] = [];

  constructor({ width = 1200, ...key }: { width?: number } & Pick<WindowWorld, 'role' | 'readsFiles'> = {}) {
    resetFileBrowser();
    filesMemory.restored = false;
    window.innerWidth = width;
    this.#stops.push(pretendLayout({ width, height: 800 }));
    this.bridge = bridgeOver({
      ...key,
      templates: [
        aTemplate('lobby', { name: 'Lobby', isProxy: false }),
        aTemplate('arena', { name: 'Arena' }),
      ],
      services: [aService('lobby', 1), aService('lobby', 2, { outdated: ['files'] })],
    });
    this.#answer();
  }

  /**
   * Opens the screen.
   *
   * @param address the part after `files/`
   */
  async open(address: string): Promise<void> {
    this.#stops.push(connectStores(this.bridge), tasks.connect());
    route.go('files', ...address.split('/').filter((part) => part !== ''));
    render(FilesScreen);
    await screen.findByRole('heading', { level: 1 });
  }

  readonly close = (): void => {
    for (const stop of this.#stops.reverse()) stop();
  };

  #answer(): void {
    const of = (folders: Folders, folder: string): RemoteEntry[] => {
      const entries = folders[folder];
      if (entries === undefined) throw new OverworldError('FILE_NOT_FOUND', { path: folder });
      return entries;
    };
    const done = () => ({});
    this.bridge
      .answer('app.memory', () => ({
        'files.view': JSON.stringify({ localPath: '/home/anna', local: true }),
        'bookmarks.embedded': JSON.stringify(['/templates/lobby/plugins']),
      }))
      .answer('files.list', ({ folder }) => of(this.remote, folder))
      .answer('local.places', () => [{ name: 'Home', path: '/home/anna', added: false }])
      .answer('local.list', ({ folder }) => ({
        folder,
        parent: folder === '/home/anna' ? null : folder.slice(0, folder.lastIndexOf('/')),
        entries: of(this.local, folder),
      }))
      .answer('files.rename', done)
      .answer('files.delete', done)
      .answer('files.move', done)
      .answer('files.makeFolder', done)
      .answer('files.setMode', done)
      .answer('files.log', () => [])
      .answer('files.externalEdits', () => [])
      .answer('local.rename', done)
      .answer('local.trash', done)
      .answer('local.makeFolder', done)
      .answer('transfers.start', done)
      .answer('transfers.pause', done)
      .answer('transfers.resume', done)
      .answer('transfers.cancel', done)
      .answer('transfers.retry', done)
      .answer('files.pickUpload', () => aPlan('picked'))
      .answer('files.planUpload', () => aPlan('up'))
      .answer('files.planDownload', () => aPlan('down'))
      .answer('files.planPracticeServer', () => aPlan('p1'))
      .answer('files.planPracticeProxy', () => aPlan('p2'));
  }
}

/** Returns the row with this name. */
export function rowOf(grid: HTMLElement, name: string): HTMLElement {
  const found = [...grid.querySelectorAll('.text')].find(({ textContent }) => textContent === name);
  const row = found?.closest('tr');
  if (!(row instanceof HTMLElement)) throw new Error(`no row ${name}`);
  return row;
}
