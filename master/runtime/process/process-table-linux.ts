import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { monotonicMs } from '#shared/node/clock.ts';
import type { ServiceId } from '#shared/model/service.ts';
import { serviceIn, type Mark } from './mark.ts';
import { rethrowUnlessFileError } from '#shared/node/small-file.ts';
import {
  byService,
  type ListedProcess,
  type ProcessTable,
  type ServiceProcess,
  type ServiceProcesses,
} from './listed-process.ts';

/**
 * Age up to which a process without a mark is read again (ms). A young process may be a fork that has not called
 * exec yet and still has its parent's environment.
 */
const SETTLED_AFTER_MS = 10_000;

interface Known {
  readonly started: string;
  readonly service: ServiceId | null;
  readonly firstSeen: number;
}

/**
 * Process table of Linux, read from `/proc` (proc(5)). Reads are synchronous because they never access a disk and
 * take only some 10 µs each; in the thread pool they would take ten times as long. The environment of each process
 * is read once and cached.
 */
export class LinuxTable implements ProcessTable {
  readonly #mark: Mark;
  #known = new Map<number, Known>();

  constructor(mark: Mark) {
    this.#mark = mark;
  }

  list(): Promise<ServiceProcesses> {
    const known = new Map<number, Known>();
    const listing: ListedProcess[] = [];
    for (const name of readdirSync('/proc')) {
      const pid = Number(name);
      const seen = Number.isInteger(pid) ? readProcess(pid) : null;
      if (seen === null) continue;
      const entry = this.#look(seen);
      known.set(pid, entry);
      listing.push({ ...seen, service: entry.service });
    }
    this.#known = known;
    return Promise.resolve(byService(listing));
  }

  stillAlive(processes: readonly ServiceProcess[]): Promise<readonly ServiceProcess[]> {
    return Promise.resolve(processes.filter(({ pid, started }) => readProcess(pid)?.started === started));
  }

  #look({ pid, started }: ServiceProcess): Known {
    const known = this.#known.get(pid);
    const now = monotonicMs();
    const same = known?.started === started;
    if (same && (known.service !== null || now - known.firstSeen > SETTLED_AFTER_MS)) return known;
    return { started, service: this.#serviceOf(pid), firstSeen: same ? known.firstSeen : now };
  }

  #serviceOf(pid: number): ServiceId | null {
    try {
      const environ = readFileSync(`/proc/${pid}/environ`, 'utf8');
      return serviceIn(environ, this.#mark, () => this.#livesHere(pid));
    } catch (error) {
      rethrowUnlessFileError(error);
      // The process has exited or belongs to another user, so it is not one of this master's processes.
      return null;
    }
  }

  #livesHere(pid: number): boolean {
    return readlinkSync(`/proc/${pid}/cwd`).startsWith(`${this.#mark.folder}/`);
  }
}

/** Reads `/proc/<pid>/stat`. Returns null if the process does not exist or is a zombie. */
function readProcess(pid: number): ServiceProcess | null {
  let text: string;
  try {
    text = readFileSync(`/proc/${pid}/stat`, 'latin1');
  } catch (error) {
    rethrowUnlessFileError(error);
    return null;
  }
  // The second field is the program's name in parentheses, which may itself contain parentheses and spaces.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  const [state, parent, group] = fields;
  if (state === 'Z' || state === 'X') return null;
  // Field 22: start time in clock ticks after boot.
  return { pid, parent: Number(parent), group: Number(group), started: fields[19] ?? '' };
}
