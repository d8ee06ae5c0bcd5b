import type { LocalFolder } from '../../../stores/files/local-folder.svelte.ts';
import type { Entry, Folder } from '../../../stores/files/folder.svelte.ts';
import type { RemoteFolder } from '../../../stores/files/remote-folder.svelte.ts';
import type { Sort } from '../../../ui/table/table.ts';
import { isHidden, NONE } from './entries.ts';
import { parentOf } from '../paths.ts';
import type { Side } from '../sides.ts';

/** What is shown and chosen of one side; the two sides differ in their folder alone. */
export class Pane {
  readonly side: Side;
  readonly folder: Folder;
  filter = $state('');
  sort = $state.raw<Sort | null>({ column: 'name', descending: false });
  selected = $state.raw<ReadonlySet<string>>(NONE);
  /** Path that the keyboard stands on. */
  active = $state<string | null>(null);
  /** Path of the entry whose name is being changed. */
  renaming = $state<string | null>(null);
  /** The path is being typed. */
  typingPath = $state(false);
  /** The list, to give it the keyboard. */
  element: HTMLElement | undefined;
  /** The filter's field. */
  filterField = $state<HTMLInputElement>();
  readonly #local: LocalFolder | null;
  /** Where the keyboard stood in folders that were left, so that going up leads back to them. */
  readonly #stood: Record<string, string> = {};

  constructor(of: { side: 'local'; folder: LocalFolder } | { side: 'remote'; folder: RemoteFolder }) {
    this.side = of.side;
    this.folder = of.folder;
    this.#local = of.side === 'local' ? of.folder : null;
  }

  get path(): string {
    return this.folder.path;
  }

  get entries(): readonly Entry[] {
    return this.folder.entries ?? [];
  }

  get hiddenCount(): number {
    return this.entries.filter(isHidden).length;
  }

  /** What an action is about: those chosen, else the one the keyboard stands on. */
  get chosen(): readonly Entry[] {
    const { selected, active } = this;
    return this.entries.filter(({ path }) => (selected.size > 0 ? selected.has(path) : path === active));
  }

  /** The folder above the one shown; null at the top. */
  get parent(): string | null {
    if (this.#local !== null) return this.path === '' ? null : this.#local.parent;
    return this.path === '/' ? null : parentOf(this.path);
  }

  /** Shows a folder; in one that was shown before, the keyboard stands where it stood. */
  readonly show = (path: string): void => {
    if (path === this.path && this.folder.entries !== null) return;
    const from = this.path;
    if (this.active !== null) this.#stood[from] = this.active;
    this.filter = '';
    this.selected = NONE;
    this.renaming = null;
    this.active = this.#stood[path] ?? null;
    this.folder.open(path);
  };

  /** Remembers what a folder that is gone up to shall stand on. */
  readonly leaveUpwards = (): void => {
    if (this.parent !== null) this.#stood[this.parent] = this.path;
  };

  readonly focus = (): void => {
    this.element?.querySelector<HTMLElement>('[role="grid"]')?.focus();
  };
}
