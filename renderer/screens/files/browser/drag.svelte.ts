import { request } from '../../../bridge/bridge.ts';
import type { Entry } from '../../../stores/files/folder.svelte.ts';
import { transferPlans } from '../../../stores/files/transfer-plans.svelte.ts';
import { attempt, fits, send } from '../actions.ts';
import type { Chosen, FileBrowser } from '../file-browser.svelte.ts';
import { countWords } from './entries.ts';
import { isWritable } from '../paths.ts';
import { otherSide, type Side } from '../sides.ts';

/**
 * Data type that marks drags from the app's own lists. The entries are stored in `dragged`, because a drag does not
 * reveal its data before the drop.
 */
const OURS = 'application/x-overworld-files';

interface Target {
  readonly side: Side;
  readonly folder: string;
}

/** Drag and drop of files: between the two sides, within a side, and from and to the system's file manager. */
export class Drag {
  /** The entries dragged from one of the lists. */
  dragged = $state.raw<Chosen | null>(null);
  /** The folder under the pointer that accepts the dragged entries. Null if there is none or nothing is dragged. */
  target = $state.raw<(Target & { readonly verb: string }) | null>(null);
  /** Image shown at the pointer, rendered out of sight. */
  image: HTMLElement | undefined;
  readonly #browser: FileBrowser;

  constructor(browser: FileBrowser) {
    this.#browser = browser;
  }

  /**
   * Starts dragging a row. If the row is selected, drags the whole selection. With Alt, the drag goes to the system's
   * file manager.
   */
  readonly start = (event: DragEvent, side: Side, entry: Entry): void => {
    const pane = this.#browser.pane(side);
    const entries = pane.selected.has(entry.path) ? pane.chosen : [entry];
    if (event.altKey && side === 'remote') this.startOut(event, entries);
    else this.#begin(event, { side, entries });
  };

  /** Starts dragging to the system's file manager. First downloads the files, then attaches them to the pointer. */
  readonly startOut = (event: DragEvent, entries: readonly Entry[]): void => {
    event.preventDefault();
    if (entries.length === 0) return;
    void attempt(request('files.dragOut', { paths: entries.map(({ path }) => path) }));
  };

  readonly end = (): void => {
    this.dragged = null;
    this.target = null;
  };

  /** Handles a drag over an element that stands for a folder. */
  readonly over = (event: DragEvent, target: Target): void => {
    if (!isOurs(event) && !hasFiles(event)) return;
    event.preventDefault();
    event.stopPropagation();
    const verb = this.#verb(event, target);
    if (event.dataTransfer !== null) {
      event.dataTransfer.dropEffect = verb === null ? 'none' : verb === 'move' ? 'move' : 'copy';
    }
    const { target: now } = this;
    if (verb === null) this.target = null;
    else if (now?.folder !== target.folder || now.side !== target.side || now.verb !== verb) {
      this.target = { ...target, verb };
    }
  };

  /** Handles a drag that leaves the whole area, not just one row. */
  readonly leave = (event: DragEvent): void => {
    const to = event.relatedTarget;
    const area = event.currentTarget;
    if (area instanceof Node && to instanceof Node && area.contains(to)) return;
    this.target = null;
  };

  readonly drop = (event: DragEvent, target: Target): void => {
    if (!isOurs(event) && !hasFiles(event)) return;
    event.preventDefault();
    event.stopPropagation();
    const verb = this.#verb(event, target);
    const { dragged } = this;
    this.end();
    if (verb === null) return;
    if (dragged !== null) void send(this.#browser, dragged, { ...target, copy: verb !== 'move' });
    else {
      const files = [...(event.dataTransfer?.files ?? [])];
      if (files.length > 0) void transferPlans.uploadDropped(target.folder, files);
    }
  };

  #begin(event: DragEvent, what: Chosen): void {
    const { dataTransfer } = event;
    if (dataTransfer === null) return;
    this.dragged = what;
    dataTransfer.effectAllowed = 'copyMove';
    dataTransfer.setData(OURS, what.side);
    if (this.image === undefined) return;
    const [first] = what.entries;
    this.image.textContent =
      what.entries.length === 1 && first !== undefined ? first.name : countWords(what.entries);
    dataTransfer.setDragImage(this.image, -12, -8);
  }

  /**
   * Returns the effect of a drop. Null if the drop is not allowed. A drop between the sides copies; with Shift, it
   * moves.
   */
  #verb(event: DragEvent, target: Target): 'upload' | 'download' | 'move' | 'copy' | null {
    const { dragged } = this;
    const browser = this.#browser;
    if (target.side === 'remote' && browser.writeRefusal !== undefined) return null;
    if (dragged === null) return target.side === 'remote' && isWritable(target.folder) ? 'upload' : null;
    if (!fits(dragged, target)) return null;
    if (dragged.side === otherSide(target.side)) {
      if (event.shiftKey) return browser.changeRefusal(dragged) === undefined ? 'move' : null;
      return target.side === 'remote' ? 'upload' : 'download';
    }
    if (browser.changeRefusal(dragged) !== undefined) return null;
    return (event.ctrlKey || event.metaKey) && target.side === 'remote' ? 'copy' : 'move';
  }
}

function isOurs(event: DragEvent): boolean {
  return event.dataTransfer?.types.includes(OURS) === true;
}

function hasFiles(event: DragEvent): boolean {
  return event.dataTransfer?.types.includes('Files') === true;
}
