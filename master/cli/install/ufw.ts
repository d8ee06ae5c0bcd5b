import { mustRun, runProgram } from '../machine/run-program.ts';

/** Comment on each rule that Overworld adds, so that an admin knows the origin of the rule. */
const COMMENT = 'Overworld';

/** Returns whether ufw filters the connections to this machine. Returns false if ufw is missing or fails. */
export async function isUfwActive(): Promise<boolean> {
  const { code, stdout } = await runProgram('ufw', ['status']);
  return code === 0 && /^Status: active$/m.test(stdout);
}

/**
 * Opens TCP ports in ufw.
 *
 * @returns the ports that were not open before
 * @throws OverworldError COMMAND_FAILED
 */
export async function openInUfw(ports: readonly number[]): Promise<number[]> {
  const closed = closedPorts(await mustRun('ufw', ['show', 'added']), ports);
  for (const port of closed) await mustRun('ufw', ['allow', `${port}/tcp`, 'comment', COMMENT]);
  return closed;
}

/**
 * Returns the ports that no rule opens for all addresses.
 *
 * @param added output of `ufw show added`, such as `ufw allow 2022/tcp comment 'Overworld'`
 */
export function closedPorts(added: string, ports: readonly number[]): number[] {
  const open = new Set(
    [...added.matchAll(/^ufw allow (\d+)(?:\/tcp)?(?: comment .*)?$/gm)].map(([, port]) => Number(port)),
  );
  return ports.filter((port) => !open.has(port));
}
