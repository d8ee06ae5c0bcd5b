import { MAX_MASTER_LINE_BYTES, type Backend } from '#shared/link/messages.ts';
import type { ServiceId } from '#shared/model/service-id.ts';

/**
 * Size at which a part of the list of game servers ends and the next part begins (bytes). It is half of the maximum
 * length of a line, so that the last entry of a part cannot make the line too long.
 */
const PART_BYTES = MAX_MASTER_LINE_BYTES / 2;

/** Maximum number of removed services to store. A plugin that has missed more removals gets the whole list. */
const MAX_GONE = 10_000;

interface Entry {
  readonly backend: Backend;
  readonly json: string;
  readonly version: number;
}

/**
 * The list of game servers, with a version number. Each plugin gets only the changes since the version that it
 * already has. Lines are built once, and shared by all plugins that have the same version.
 */
export class BackendFeed {
  #version = 1;
  #entries = new Map<ServiceId, Entry>();
  readonly #gone = new Map<ServiceId, number>();
  /** Oldest version since which all changes are still known. */
  #oldest = 0;
  readonly #lines = new Map<number | null, readonly Buffer[]>();

  /** Version of the current list. */
  get version(): number {
    return this.#version;
  }

  /** Returns a game server of the current list. Undefined if it contains none with this id. */
  get(id: ServiceId): Backend | undefined {
    return this.#entries.get(id)?.backend;
  }

  /**
   * Replaces the list of game servers.
   *
   * @returns whether anything has changed
   */
  set(backends: readonly Backend[]): boolean {
    const version = this.#version + 1;
    const entries = new Map<ServiceId, Entry>();
    let changed = false;
    for (const backend of backends) {
      const before = this.#entries.get(backend.id);
      const same = before !== undefined && isSame(before.backend, backend);
      if (!same) {
        changed = true;
        this.#gone.delete(backend.id);
      }
      entries.set(backend.id, same ? before : { backend, json: JSON.stringify(backend), version });
    }
    for (const id of this.#entries.keys()) {
      if (entries.has(id)) continue;
      changed = true;
      this.#gone.set(id, version);
    }
    if (!changed) return false;
    this.#entries = entries;
    this.#version = version;
    this.#lines.clear();
    this.#forgetGone();
    return true;
  }

  /**
   * Returns the lines that bring a plugin to the current version. These are the changes or, if the plugin has no list
   * or its version is too old, the whole list. Empty if the plugin has the current version. The lines must not be
   * modified.
   *
   * @param known the version of the list that the plugin has; null if it has none
   */
  linesSince(known: number | null): readonly Buffer[] {
    if (known === this.#version) return [];
    const since = known === null || known < this.#oldest ? null : known;
    const made = this.#lines.get(since) ?? this.#make(since);
    this.#lines.set(since, made);
    return made;
  }

  #make(since: number | null): readonly Buffer[] {
    const put: string[] = [];
    for (const { json, version } of this.#entries.values()) {
      if (since === null || version > since) put.push(json);
    }
    const gone = [...this.#gone].filter(([, version]) => since !== null && version > since).map(([id]) => id);
    const parts = [
      ...inParts(put).map((part) => ({ put: part, gone: [] as string[] })),
      ...inParts(gone).map((part) => ({ put: [] as string[], gone: part })),
    ];
    const all = parts.length === 0 ? [{ put: [], gone: [] }] : parts;
    return all.map((part, index) => {
      const head = { type: 'backends', reset: since === null && index === 0 };
      const tail = { gone: part.gone, done: index === all.length - 1 };
      // The result equals JSON.stringify of the whole message. It is built from parts because the entries are already
      // serialized.
      const text = `${JSON.stringify(head).slice(0, -1)},"put":[${part.put.join(',')}],${JSON.stringify(tail).slice(1)}`;
      return Buffer.from(`${text}\n`);
    });
  }

  #forgetGone(): void {
    for (const [id, version] of this.#gone) {
      if (this.#gone.size <= MAX_GONE) return;
      this.#gone.delete(id);
      this.#oldest = Math.max(this.#oldest, version);
    }
  }
}

function inParts(texts: readonly string[]): string[][] {
  const parts: string[][] = [];
  let bytes = PART_BYTES;
  for (const text of texts) {
    if (bytes >= PART_BYTES) {
      parts.push([]);
      bytes = 0;
    }
    parts.at(-1)?.push(text);
    bytes += Buffer.byteLength(text) + 3;
  }
  return parts;
}

function isSame(one: Backend, other: Backend): boolean {
  return (Object.keys(one) as (keyof Backend)[]).every((key) => one[key] === other[key]);
}
