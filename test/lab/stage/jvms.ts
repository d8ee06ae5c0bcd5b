import type { LabNode } from '../kit/node.ts';

/** A JVM that was found on a machine. */
export interface Jvm {
  /** Server name of the machine. */
  readonly node: string;
  /** Name of the folder it runs in: the service's id. */
  readonly service: string;
  readonly pid: number;
  readonly user: string;
}

/**
 * Lines of pid, user and folder of everything that runs Java in the folder of a service; asks the kernel, and nobody
 * else. A process that is just ending has no folder any more.
 */
const LIST = `
for process in /proc/[0-9]*; do
  [ "$(cat $process/comm 2>/dev/null)" = java ] || continue
  folder=$(readlink $process/cwd) || continue
  case $folder in */services/*) echo "\${process#/proc/} $(stat -c %U $process) $folder" ;; esac
done`;

/** What really runs on machines that are up: evidence from their kernels, whatever the master believes. */
export async function jvmsOn(nodes: readonly LabNode[]): Promise<Jvm[]> {
  const found = await Promise.all(
    nodes
      .filter((node) => node.up)
      .map((node) =>
        jvmsOf(node).catch((error: unknown) => {
          // It went off meanwhile.
          if (node.up) throw error;
          return [];
        }),
      ),
  );
  return found.flat();
}

async function jvmsOf(node: LabNode): Promise<Jvm[]> {
  const lines = (await node.run(LIST)).stdout.split('\n').filter((line) => line !== '');
  return lines.map((line) => {
    const [pid = '', user = '', folder = ''] = line.split(' ');
    return { node: node.name, user, pid: Number(pid), service: folder.split('/').at(-1) ?? '' };
  });
}

/** Services that run more than once, anywhere. */
export function twinsIn(jvms: readonly Jvm[]): string[] {
  const ids = jvms.map(({ service }) => service);
  return [...new Set(ids.filter((id, index) => ids.indexOf(id) !== index))];
}
