import { posix } from 'node:path';
import { isUploadInProgress } from '#master/templates/upload-names.ts';
import type { NewEvent } from '#master/store/event-log.ts';

/** A file change that a person made over SFTP. Paths are as seen over SFTP. */
export interface FileChange {
  readonly kind: 'files.written' | 'files.deleted' | 'files.renamed';
  readonly path: string;
  readonly to?: string;
  readonly template: string | null;
  readonly actor: string;
}

/**
 * Time without a further change (ms) after which the collected changes are written, so that an upload of 5,000 files is
 * one event in the activity log.
 */
const QUIET_MS = 1_500;
/** Maximum time to collect changes (ms), so that a long upload is visible while it runs. */
const LONGEST_MS = 30_000;

/** Receives the grouped events; in the master this is the activity log. */
interface EventSink {
  add(event: NewEvent): unknown;
}

interface Gathered {
  readonly first: FileChange;
  readonly since: number;
  readonly paths: Set<string>;
  timer: NodeJS.Timeout;
}

/** Writes file changes by people to the activity log, grouped by person, kind and template. */
export class FileEvents {
  readonly #events: EventSink;
  readonly #gathered = new Map<string, Gathered>();

  constructor(events: EventSink) {
    this.#events = events;
  }

  add(change: FileChange): void {
    // An upload writes a temporary file and renames it into place. The activity log shows both steps as one written
    // file.
    const seen = asPeopleSeeIt(change);
    if (seen === null) return;
    const key = [
      seen.kind,
      seen.actor,
      seen.template ?? '',
      seen.kind === 'files.renamed' ? seen.path : '',
    ].join('\0');
    const known = this.#gathered.get(key);
    const entry = known ?? {
      first: seen,
      since: Date.now(),
      paths: new Set<string>(),
      timer: this.#later(key, 0),
    };
    entry.paths.add(seen.path);
    clearTimeout(entry.timer);
    const age = Date.now() - entry.since;
    entry.timer = this.#later(key, Math.min(QUIET_MS, Math.max(0, LONGEST_MS - age)));
    this.#gathered.set(key, entry);
  }

  /** Writes all collected changes now. */
  flush(): void {
    for (const key of [...this.#gathered.keys()]) this.#write(key);
  }

  #later(key: string, ms: number): NodeJS.Timeout {
    const timer = setTimeout(() => this.#write(key), ms);
    timer.unref();
    return timer;
  }

  #write(key: string): void {
    const entry = this.#gathered.get(key);
    if (entry === undefined) return;
    this.#gathered.delete(key);
    clearTimeout(entry.timer);
    const { kind, actor, template, path, to } = entry.first;
    const count = entry.paths.size;
    const what = count === 1 ? path : `${count} files in ${commonFolder([...entry.paths])}`;
    const verb = { 'files.written': 'wrote', 'files.deleted': 'deleted', 'files.renamed': 'renamed' }[kind];
    this.#events.add({
      kind,
      subject: { type: 'file', id: path },
      template,
      actor,
      message:
        to === undefined ? `${actor} ${verb} ${what}` : `${actor} ${verb} ${path} to ${posix.basename(to)}`,
      cause: 'over SFTP',
    });
  }
}

function isTemporary(path: string): boolean {
  return isUploadInProgress(posix.basename(path));
}

function asPeopleSeeIt(change: FileChange): FileChange | null {
  if (!isTemporary(change.path)) return change;
  if (change.kind !== 'files.renamed' || change.to === undefined || isTemporary(change.to)) return null;
  return { kind: 'files.written', path: change.to, template: change.template, actor: change.actor };
}

function commonFolder(paths: readonly string[]): string {
  const [first = '/', ...rest] = paths.map((path) => posix.dirname(path).split('/'));
  const context = typeof first === 'string' ? [] : first;
  const shared = context.filter((_, i) =>
    rest.every((other) => context.slice(0, i + 1).every((p, j) => other[j] === p)),
  );
  return shared.join('/') || '/';
}
