import { existsSync, mkdirSync, readdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const top = '/sys/fs/cgroup';

/** Hierarchies of cgroup v1 that a node gets a part of. Not cpuset: an empty one takes no process. */
const controllers = ['memory', 'cpu', 'cpuacct', 'pids', 'freezer', 'blkio', 'devices', 'systemd'];

/** The control groups of one node: all its processes are in them, so that they can be stopped, frozen and limited together. */
export class ControlGroups {
  /** One for each hierarchy of this machine. */
  readonly folders: readonly string[];
  /** The one in cgroup v2, which can kill and freeze at once. */
  readonly #unified: string;
  readonly #memory: string;

  /** @param path relative to each hierarchy */
  constructor(path: string) {
    const onlyV2 = existsSync(join(top, 'cgroup.procs'));
    this.#unified = join(top, onlyV2 ? '' : 'unified', path);
    const v1 = onlyV2 ? [] : controllers.filter((name) => existsSync(join(top, name)));
    this.folders = [this.#unified, ...v1.map((name) => join(top, name, path))];
    this.#memory = onlyV2
      ? join(this.#unified, 'memory.max')
      : join(top, 'memory', path, 'memory.limit_in_bytes');
  }

  /** @param memoryMb most that the whole node may use */
  make(memoryMb?: number): void {
    for (const folder of this.folders) mkdirSync(folder, { recursive: true });
    if (memoryMb !== undefined) writeFileSync(this.#memory, String(memoryMb * 1_048_576));
  }

  /** Ends every process in it at the same moment, as a power cut does. Fine when there are none. */
  kill(): void {
    if (existsSync(this.#unified)) writeFileSync(join(this.#unified, 'cgroup.kill'), '1');
  }

  freeze(): void {
    writeFileSync(join(this.#unified, 'cgroup.freeze'), '1');
  }

  thaw(): void {
    writeFileSync(join(this.#unified, 'cgroup.freeze'), '0');
  }

  get frozen(): boolean {
    return readFileSync(join(this.#unified, 'cgroup.events'), 'utf8').includes('frozen 1');
  }

  /** True while it holds a process, also in a group below it. */
  get populated(): boolean {
    try {
      return readFileSync(join(this.#unified, 'cgroup.events'), 'utf8').includes('populated 1');
    } catch {
      return false;
    }
  }

  /** Once no process is left. */
  remove(): void {
    for (const folder of this.folders) removeTree(folder);
  }
}

function removeTree(folder: string): void {
  if (!existsSync(folder)) return;
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    if (entry.isDirectory()) removeTree(join(folder, entry.name));
  }
  rmdirSync(folder);
}
