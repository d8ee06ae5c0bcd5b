import { z } from 'zod';
import { openJsonFile } from './json-file.ts';

/** Folder with the access to this machine as a node. Only root can write to it. */
export const ACCESS_FOLDER = '/etc/overworld-node';

/** File that `overworld-master local enable` writes. Everyone may read it: it contains no secrets. */
export const ACCESS_FILE = `${ACCESS_FOLDER}/access.json`;

/**
 * How a master reaches its own machine as a node: over an SSH server that listens on loopback only (docs/adr/0051).
 */
export const machineAccessSchema = z.strictObject({
  sshPort: z.int().min(1).max(65_535),
  /** Fingerprint of the SSH server's host key, `SHA256:…`. */
  hostKey: z.string().startsWith('SHA256:').max(100),
});
export type MachineAccess = z.infer<typeof machineAccessSchema>;

/**
 * Reads the file with the access to this machine as a node. Returns null if this machine is not set up as a node.
 *
 * @throws OverworldError DATA_FAULTY
 */
export async function readMachineAccess(path: string): Promise<MachineAccess | null> {
  return (await openJsonFile(path, machineAccessSchema.nullable(), null)).data;
}
