import { posix } from 'node:path';
import { monotonicMs } from '#shared/node/clock.ts';
import { TokenBucket } from '#shared/node/token-bucket.ts';
import { isUploadInProgress } from '#master/templates/upload-names.ts';
import type { NewEvent } from '#master/store/event-log.ts';

/** A file change that a person made over SFTP. Its paths are those that the person sees over SFTP. */
export interface FileChange {
  readonly kind: 'files.written' | 'files.deleted' | 'files.renamed';
  readonly path: string;
  readonly to?: string;
  readonly template: string | null;
  readonly actor: string;
}

/**
 * Time without a further change after which the collected changes are written (ms). It makes an upload of 5,000 files
 * a single event in the activity log.
 */
const QUIET_MS = 1_500;
/** Maximum time to collect changes (ms), so that a long upload is visible while it runs. */
const LONGEST_MS = 30_000;
/**
 * Maximum rate of events that one person may cause. Beyond it, changes are collected for longer, so that file events
 * cannot push other events out of the activity log.
 */
const PERSON_RATE = { burst: 30, perSecond: 0.1 };
/** Maximum number of distinct files to remember for one event. Changes of further files are counted one by one. */
const MAX_PATHS = 10_000;

/** Receives the grouped events; in the master this is the activity log. */
interface EventSink {
  add(event: NewEvent): unknown;
}

interface Gathered {
  readonly first: FileChange;
  readonly since: number;
  readonly paths: Set<string>;
  /** Number of changes whose files are not in `paths`. */
  more: number;
  /** Parts of the path of the folder that contains all changed files. */
  folder: readonly string[];
  timer: NodeJS.Timeout;
}

/**
 * Writes file changes by people to the activity log, grouped by person, kind and template. Each person causes at most
 * some 400 events an hour.
 */
export class FileEvents {
  readonly #events: EventSink;
  readonly #gathered = new Map<string, Gathered>();
  readonly #rates = new Map<string, TokenBucket>();

  constructor(events: EventSink) {
    this.#events = events;
  }

  /**
   * Adds a change. Changes of the same person, kind and template are written as one event, 1.5 s after the last of
   * them but at most 30 s after the first. The event waits longer if the person has caused too many events.
   */
  add(change: FileChange): void {
    // An upload writes a temporary file, then renames it. The activity log shows both steps as one written file.
    const seen = asPeopleSeeIt(change);
    if (seen === null) return;
    const key = [seen.kind, seen.actor, seen.template ?? ''].join('\0');
    const folder = posix.dirname(seen.path).split('/');
    const known = this.#gathered.get(key);
    const entry: Gathered = known ?? {
      first: seen,
      since: Date.now(),
      paths: new Set<string>(),
      more: 0,
      folder,
      timer: this.#later(key, 0),
    };
    entry.folder = shared(entry.folder, folder);
    if (entry.paths.size < MAX_PATHS) entry.paths.add(seen.path);
    else if (!entry.paths.has(seen.path)) entry.more += 1;
    this.#gathered.set(key, entry);
    const age = Date.now() - entry.since;
    // The timer is already due, or waits because the person has caused too many events.
    if (age >= LONGEST_MS) return;
    clearTimeout(entry.timer);
    entry.timer = this.#later(key, Math.min(QUIET_MS, LONGEST_MS - age));
  }

  /** Writes all collected changes now. */
  flush(): void {
    for (const key of [...this.#gathered.keys()]) this.#write(key);
  }

  #later(key: string, ms: number): NodeJS.Timeout {
    const timer = setTimeout(() => this.#writeInTurn(key), ms);
    timer.unref();
    return timer;
  }

  /** Writes the collected changes, or waits if their person has caused too many events. */
  #writeInTurn(key: string): void {
    const entry = this.#gathered.get(key);
    if (entry === undefined) return;
    const waitMs = this.#rateOf(entry.first.actor).take(1, monotonicMs());
    if (waitMs === 0) this.#write(key);
    else entry.timer = this.#later(key, waitMs);
  }

  #rateOf(actor: string): TokenBucket {
    const known = this.#rates.get(actor);
    if (known !== undefined) return known;
    const bucket = new TokenBucket({ ...PERSON_RATE, now: monotonicMs() });
    this.#rates.set(actor, bucket);
    return bucket;
  }

  #write(key: string): void {
    const entry = this.#gathered.get(key);
    if (entry === undefined) return;
    this.#gathered.delete(key);
    clearTimeout(entry.timer);
    const { kind, actor, template, path, to } = entry.first;
    const count = entry.paths.size + entry.more;
    const what = count === 1 ? path : `${count} files in ${entry.folder.join('/') || '/'}`;
    const verb = { 'files.written': 'wrote', 'files.deleted': 'deleted', 'files.renamed': 'renamed' }[kind];
    this.#events.add({
      kind,
      subject: { type: 'file', id: path },
      template,
      actor,
      message: `${actor} ${verb} ${what}${to === undefined || count > 1 ? '' : ` to ${posix.basename(to)}`}`,
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

/** Returns the parts that both paths begin with. */
function shared(a: readonly string[], b: readonly string[]): readonly string[] {
  const end = a.findIndex((part, i) => part !== b[i]);
  return end === -1 ? a : a.slice(0, end);
}
