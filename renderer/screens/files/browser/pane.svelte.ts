import { filesMemory } from '../../../stores/files/files-memory.svelte.ts';
import type { LocalFolder } from '../../../stores/files/local-folder.svelte.ts';
import type { Entry, Folder } from '../../../stores/files/folder.svelte.ts';
import type { RemoteFolder } from '../../../stores/files/remote-folder.svelte.ts';
import type { Sort } from '../../../ui/table/table.ts';
import { filterEntries, isHidden, NONE, shownEntries } from './entries.ts';
import { parentOf } from '../paths.ts';
import type { Side } from '../sides.ts';

/** State of one side of the Files screen. The two sides differ only in their folder. */
export class Pane {
  readonly side: Side;
  readonly folder: Folder;
  filter = $state('');
  sort = $state.raw<Sort | null>({ column: 'name', descending: false });
  selected = $state.raw<ReadonlySet<string>>(NONE);
  /** Path of the active entry. */
  active = $state<string | null>(null);
  /** Path of the entry that is being renamed. */
  renaming = $state<string | null>(null);
  /** Whether the path is being typed. */
  typingPath = $state(false);
  /** Element of the list, which can receive the focus. */
  element: HTMLElement | undefined;
  /** The filter field. */
  filterField = $state<HTMLInputElement>();
  readonly #local: LocalFolder | null;
  /** Path of the entry to activate when a folder is shown again. The keys are paths of folders. */
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

  /** The entries that the list shows, in its order: those that match the filter, and hidden ones only on demand. */
  get shown(): readonly Entry[] {
    return shownEntries(this.entries, { ...this.#which, sort: this.sort });
  }

  get #which(): { readonly hidden: boolean; readonly filter: string } {
    return { hidden: filesMemory.view.hidden, filter: this.filter };
  }

  get hiddenCount(): number {
    return this.entries.filter(isHidden).length;
  }

  /** The shown entries an action applies to: the selected ones or, without a selection, the active one. */
  get chosen(): readonly Entry[] {
    const { selected, active } = this;
    const meant = this.entries.filter(({ path }) =>
      selected.size > 0 ? selected.has(path) : path === active,
    );
    return filterEntries(meant, this.#which);
  }

  /** The parent of the shown folder. Null at the top. */
  get parent(): string | null {
    if (this.#local !== null) return this.path === '' ? null : this.#local.parent;
    return this.path === '/' ? null : parentOf(this.path);
  }

  /** Shows a folder. If the folder was shown before, restores its active entry. */
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

  /** Remembers the entry to activate in the parent folder. */
  readonly leaveUpwards = (): void => {
    if (this.parent !== null) this.#stood[this.parent] = this.path;
  };

  readonly focus = (): void => {
    this.element?.querySelector<HTMLElement>('[role="grid"]')?.focus();
  };
}
