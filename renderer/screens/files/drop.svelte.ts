import { isWritable } from './paths.ts';

/** Where dragged files would go, while they are over the window. */
export class DropTarget {
  /** Folder under the pointer that takes them; null when none does or nothing is dragged. */
  folder = $state<string | null>(null);
  readonly #allowed: () => boolean;
  readonly #ondrop: (folder: string, files: readonly File[]) => void;

  /** @param allowed whether anything may be written now @param ondrop files were dropped on a folder */
  constructor(allowed: () => boolean, ondrop: (folder: string, files: readonly File[]) => void) {
    this.#allowed = allowed;
    this.#ondrop = ondrop;
  }

  /** Files are dragged over something that stands for a folder. */
  readonly over = (event: DragEvent, folder: string): void => {
    if (!hasFiles(event)) return;
    event.preventDefault();
    event.stopPropagation();
    const takes = this.#allowed() && isWritable(folder);
    if (event.dataTransfer !== null) event.dataTransfer.dropEffect = takes ? 'copy' : 'none';
    this.folder = takes ? folder : null;
  };

  /** They left the area as a whole (not only from one row to the next). */
  readonly leave = (event: DragEvent): void => {
    const to = event.relatedTarget;
    const area = event.currentTarget;
    if (area instanceof Node && to instanceof Node && area.contains(to)) return;
    this.folder = null;
  };

  readonly drop = (event: DragEvent, folder: string): void => {
    if (!hasFiles(event)) return;
    event.preventDefault();
    event.stopPropagation();
    this.folder = null;
    const files = [...(event.dataTransfer?.files ?? [])];
    if (files.length > 0 && this.#allowed() && isWritable(folder)) this.#ondrop(folder, files);
  };
}

function hasFiles(event: DragEvent): boolean {
  return event.dataTransfer?.types.includes('Files') === true;
}
