/** A content of a save: its sha256 in hex, and its size (bytes). */
interface Content {
  readonly hash: string;
  readonly size: number;
}

/** Number of hex digits that a JavaScript number can hold: 52 bits. */
const KEY_DIGITS = 13;

/**
 * Space that saves of a volume take on the disk. Contents that several saves share count once. A save is counted when
 * it is added, so that the manifests of all saves need not be read again after each change.
 */
export class SavedSpace {
  /** Number of counted saves with each content. A key is the beginning of a hash as a number, which needs less memory. */
  readonly #uses = new Map<number, number>();
  readonly #saves = new Set<string>();
  #bytes = 0;

  /** Space of the counted saves (bytes). */
  get bytes(): number {
    return this.#bytes;
  }

  /** Reports whether a save is counted. */
  has(save: string): boolean {
    return this.#saves.has(save);
  }

  /** Counts a save, if it is not counted yet. */
  add(save: string, contents: readonly Content[]): void {
    if (this.has(save)) return;
    this.#saves.add(save);
    for (const [key, size] of byKey(contents)) {
      const uses = this.#uses.get(key) ?? 0;
      this.#uses.set(key, uses + 1);
      if (uses === 0) this.#bytes += size;
    }
  }

  /**
   * Counts a save no longer.
   *
   * @param contents the same contents as in {@link add}. If they are unknown, nothing is counted any more
   */
  remove(save: string, contents: readonly Content[] | null): void {
    if (contents === null) this.#clear();
    else if (this.#saves.delete(save)) for (const [key, size] of byKey(contents)) this.#release(key, size);
  }

  #release(key: number, size: number): void {
    const uses = this.#uses.get(key);
    // The record of the save has changed since it was counted.
    if (uses === undefined) return;
    if (uses > 1) this.#uses.set(key, uses - 1);
    else {
      this.#uses.delete(key);
      this.#bytes -= size;
    }
  }

  #clear(): void {
    this.#uses.clear();
    this.#saves.clear();
    this.#bytes = 0;
  }
}

/** Returns the sizes of the contents. Each content is included once, and folders, which have no hash, are left out. */
function byKey(contents: readonly Content[]): Map<number, number> {
  const files = contents.filter(({ hash }) => hash !== '');
  return new Map(files.map(({ hash, size }) => [Number.parseInt(hash.slice(0, KEY_DIGITS), 16), size]));
}
