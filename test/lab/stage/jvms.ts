import type { LabNode } from '../kit/node.ts';

/** JVM found on a machine. */
export interface Jvm {
  /** Server name of the machine. */
  readonly node: string;
  /** Name of the JVM's working directory, which is the id of the service. */
  readonly service: string;
  readonly pid: number;
  readonly user: string;
}

/**
 * Script that prints pid, user and folder of every Java process in the folder of a service, as the kernel reports
 * them. Skips exiting processes, which no longer have a folder.
 */
const LIST = `
for process in /proc/[0-9]*; do
  [ "$(cat $process/comm 2>/dev/null)" = java ] || continue
  folder=$(readlink $process/cwd) || continue
  case $folder in */services/*) echo "\${process#/proc/} $(stat -c %U $process) $folder" ;; esac
done`;

/** Returns the JVMs on all running machines, as reported by the machines' kernels and not by the master. */
export async function jvmsOn(nodes: readonly LabNode[]): Promise<Jvm[]> {
  const found = await Promise.all(
    nodes
      .filter((node) => node.up)
      .map((node) =>
        jvmsOf(node).catch((error: unknown) => {
          // The machine was switched off meanwhile.
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

/** Returns the ids of the services that run more than once, on the same machine or on different machines. */
export function twinsIn(jvms: readonly Jvm[]): string[] {
  const ids = jvms.map(({ service }) => service);
  return [...new Set(ids.filter((id, index) => ids.indexOf(id) !== index))];
}
