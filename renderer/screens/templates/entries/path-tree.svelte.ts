import { toOverworldError, type OverworldError } from '#shared/errors/overworld-error.ts';
import type { RemoteEntry } from '#shared/ipc/contract.ts';
import { SvelteMap, SvelteSet } from 'svelte/reactivity';
import { request } from '../../../bridge/bridge.ts';
import { hasBrokenName } from '../../files/browser/entries.ts';

/** A displayed line of the tree. */
export interface TreeLine {
  readonly path: string;
  readonly name: string;
  readonly folder: boolean;
  /** Level in the tree. The root has level 1. */
  readonly level: number;
  readonly open: boolean;
}

/**
 * A folder of the master's file area as a tree. The content of a folder is read when a person opens the folder in the
 * tree. Leaves out entries whose names are not valid UTF-8, because they cannot be requested.
 */
export class PathTree {
  readonly #top: { readonly path: string; readonly name: string };
  readonly #entries = new SvelteMap<string, readonly RemoteEntry[]>();
  readonly #open = new SvelteSet<string>();
  error = $state.raw<OverworldError | null>(null);
  loading = $state(0);

  readonly lines: readonly TreeLine[] = $derived.by(() => this.#linesBelow(this.#top.path, 2));

  constructor(top: { readonly path: string; readonly name: string }) {
    this.#top = top;
  }

  /** The root, then all opened folders with their content. */
  get all(): readonly TreeLine[] {
    const { path, name } = this.#top;
    return [{ path, name, folder: true, level: 1, open: this.#open.has(path) }, ...this.lines];
  }

  /** Opens every existing folder on the way to a path. */
  readonly reveal = async (path: string): Promise<void> => {
    const parts = path.slice(this.#top.path.length).split('/').filter(Boolean);
    await this.open(this.#top.path);
    let at = this.#top.path;
    for (const part of parts.slice(0, -1)) {
      const next = this.#entries.get(at)?.find(({ name, kind }) => name === part && kind === 'folder');
      if (next === undefined) return;
      at = next.path;
      await this.open(at);
    }
  };

  readonly open = async (path: string): Promise<void> => {
    this.#open.add(path);
    if (this.#entries.has(path)) return;
    this.loading += 1;
    this.error = null;
    try {
      const entries = await request('files.list', { folder: path });
      this.#entries.set(path, entries.filter((entry) => !hasBrokenName(entry)).sort(foldersFirst));
    } catch (thrown) {
      this.error = toOverworldError(thrown);
      this.#open.delete(path);
    } finally {
      this.loading -= 1;
    }
  };

  readonly close = (path: string): void => {
    this.#open.delete(path);
  };

  #linesBelow(folder: string, level: number): TreeLine[] {
    if (!this.#open.has(folder)) return [];
    return (this.#entries.get(folder) ?? []).flatMap(({ path, name, kind }) => [
      { path, name, folder: kind === 'folder', level, open: this.#open.has(path) },
      ...this.#linesBelow(path, level + 1),
    ]);
  }
}

function foldersFirst(a: RemoteEntry, b: RemoteEntry): number {
  if ((a.kind === 'folder') !== (b.kind === 'folder')) return a.kind === 'folder' ? -1 : 1;
  return a.name.localeCompare(b.name, undefined, { numeric: true });
}
