/** Maximum number of damaged contents that remarks name. */
const MAX_REMARKS = 100;

/**
 * Contents of a backup that differ from their hashes, and the restored files that have these contents. restic
 * verifies what it stores. So such a file was already damaged in the data folder, and is restored as it was there.
 */
export class DamagedContents {
  readonly #files = new Map<string, string[]>();

  /** Adds the hash of a damaged content. */
  add(hash: string): void {
    this.#files.set(hash, []);
  }

  /** Notes that a file has the content with this hash. Without effect if the content is not damaged. */
  note(hash: string, path: string): void {
    this.#files.get(hash)?.push(path);
  }

  /** Returns a remark for each damaged content of which a file was restored, in full sentences. */
  remarks(): string[] {
    const used = [...this.#files.values()].filter((files) => files.length > 0);
    const remarks = used.slice(0, MAX_REMARKS).map(remarkOf);
    const more = used.length - remarks.length;
    return more > 0 ? [...remarks, `${more} more contents are damaged.`] : remarks;
  }
}

function remarkOf(files: readonly string[]): string {
  const [first = '', ...others] = files.toSorted();
  const remark = `${first} is damaged: its content is not what the master stored. The file was restored as it is in the backup.`;
  if (others.length === 0) return remark;
  return `${remark} The same is true for ${others.length} more file${others.length === 1 ? '' : 's'} with this content.`;
}
