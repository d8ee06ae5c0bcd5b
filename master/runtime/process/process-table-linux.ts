import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { monotonicMs } from '#shared/node/clock.ts';
import type { ServiceId } from '#shared/model/service.ts';
import { serviceIn, type Mark } from './mark.ts';
import { throwIfBlind } from './small-file.ts';
import {
  byService,
  type ListedProcess,
  type ProcessTable,
  type ServiceProcess,
  type ServiceProcesses,
} from './listed-process.ts';

/**
 * A young process may still be the copy of its parent that has not become its own program yet; until this age (ms)
 * an environment without mark is looked at again.
 */
const SETTLED_AFTER_MS = 10_000;

interface Known {
  readonly started: string;
  readonly service: ServiceId | null;
  readonly firstSeen: number;
}

/**
 * Reads `/proc` (proc(5)). Synchronous reads on purpose: they never touch a disk and take some 10 µs each, a tenth of
 * what the thread pool would. Environments are read once per process and remembered.
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
      throwIfBlind(error);
      // Gone meanwhile, or another user's: not ours.
      return null;
    }
  }

  #livesHere(pid: number): boolean {
    return readlinkSync(`/proc/${pid}/cwd`).startsWith(`${this.#mark.folder}/`);
  }
}

/** One line of `/proc/<pid>/stat`; null when there is no such process, or only a zombie of it. */
function readProcess(pid: number): ServiceProcess | null {
  let text: string;
  try {
    text = readFileSync(`/proc/${pid}/stat`, 'latin1');
  } catch (error) {
    throwIfBlind(error);
    return null;
  }
  // The second field is the program's name in brackets and may itself hold brackets and blanks.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  const [state, parent, group] = fields;
  if (state === 'Z' || state === 'X') return null;
  // Field 22, start time in clock ticks after boot.
  return { pid, parent: Number(parent), group: Number(group), started: fields[19] ?? '' };
}
