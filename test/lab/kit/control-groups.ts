import { existsSync, mkdirSync, readdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const top = '/sys/fs/cgroup';

/**
 * Hierarchies of cgroup v1 in which a node gets a group. cpuset is missing because a new group in it accepts no
 * process.
 */
const controllers = ['memory', 'cpu', 'cpuacct', 'pids', 'freezer', 'blkio', 'devices', 'systemd'];

/**
 * Control groups of one node. They contain all processes of the node, so that these processes can be killed, frozen
 * and limited together.
 */
export class ControlGroups {
  /** One folder per hierarchy of this machine. */
  readonly folders: readonly string[];
  /** Folder in cgroup v2, which can kill and freeze all processes at once. */
  readonly #unified: string;
  readonly #memory: string;

  /** @param path path of the groups, relative to the root of each hierarchy */
  constructor(path: string) {
    const onlyV2 = existsSync(join(top, 'cgroup.procs'));
    this.#unified = join(top, onlyV2 ? '' : 'unified', path);
    const v1 = onlyV2 ? [] : controllers.filter((name) => existsSync(join(top, name)));
    this.folders = [this.#unified, ...v1.map((name) => join(top, name, path))];
    this.#memory = onlyV2
      ? join(this.#unified, 'memory.max')
      : join(top, 'memory', path, 'memory.limit_in_bytes');
  }

  /** Creates the groups. @param memoryMb memory limit of the whole node (MB) */
  make(memoryMb?: number): void {
    for (const folder of this.folders) mkdirSync(folder, { recursive: true });
    if (memoryMb !== undefined) writeFileSync(this.#memory, String(memoryMb * 1_048_576));
  }

  /** Kills all processes at the same moment, like a power cut. */
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

  /** Whether the groups contain a process, including in subgroups. */
  get populated(): boolean {
    try {
      return readFileSync(join(this.#unified, 'cgroup.events'), 'utf8').includes('populated 1');
    } catch {
      return false;
    }
  }

  /** Removes the groups. All processes in them must have exited. */
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
