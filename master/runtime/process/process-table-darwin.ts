import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { serviceIdSchema, type ServiceId } from '#shared/model/service.ts';
import type { Mark } from './mark.ts';
import {
  byService,
  type ListedProcess,
  type ProcessTable,
  type ServiceProcess,
  type ServiceProcesses,
} from './listed-process.ts';

const MAX_OUTPUT_BYTES = 64 * 1_048_576;

/**
 * Process table of macOS, which has no `/proc`. `ps -E` shows command line and environment of the user's own
 * processes. The environment of system programs such as `/bin/sh` is hidden, so the wrapper is recognized by its
 * arguments.
 */
export class DarwinTable implements ProcessTable {
  readonly #mark: Mark;

  constructor(mark: Mark) {
    this.#mark = mark;
  }

  async list(): Promise<ServiceProcesses> {
    return byService(await this.#listing());
  }

  async stillAlive(processes: readonly ServiceProcess[]): Promise<readonly ServiceProcess[]> {
    const now = new Map((await this.#listing()).map(({ pid, started }) => [pid, started]));
    return processes.filter(({ pid, started }) => now.get(pid) === started);
  }

  async #listing(): Promise<ListedProcess[]> {
    const columns = ['-axww', '-E', '-o', 'pid=,ppid=,pgid=,stat=,lstart=,command='];
    const env = { PATH: '/bin:/usr/bin', LC_ALL: 'C' };
    const { stdout } = await promisify(execFile)('ps', columns, { env, maxBuffer: MAX_OUTPUT_BYTES });
    return stdout.split('\n').flatMap((line) => parsePsLine(line, this.#mark) ?? []);
  }
}

/** Parses one line of `ps`. Returns null for zombies and for lines that do not describe a process. */
export function parsePsLine(line: string, mark: Mark): ListedProcess | null {
  const fields = /^\s*(\d+)\s+(\d+)\s+(\d+)\s+(\S+)\s+(\w{3} \w{3}\s+\d+ [\d:]{8} \d{4})\s+(.*)$/.exec(line);
  if (fields === null) return null;
  const [, pid, parent, group, state, started = '', command = ''] = fields;
  if (state?.startsWith('Z') === true) return null;
  return {
    pid: Number(pid),
    parent: Number(parent),
    group: Number(group),
    started,
    service: serviceIn(` ${command} `, mark),
  };
}

function serviceIn(command: string, { cluster, folder }: Mark): ServiceId | null {
  const byEnvironment =
    command.includes(` OVERWORLD_CLUSTER=${cluster} `) && command.includes(` OVERWORLD_FOLDER=${folder} `)
      ? / OVERWORLD_SERVICE=(\S+) /.exec(command)?.[1]
      : undefined;
  const start = ` overworld-service ${folder}/`;
  const at = command.indexOf(start);
  const byArguments = at < 0 ? undefined : /^[^/]+(?=\/run )/.exec(command.slice(at + start.length))?.[0];
  const id = serviceIdSchema.safeParse(byEnvironment ?? byArguments);
  return id.success ? id.data : null;
}
