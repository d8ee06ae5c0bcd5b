import { readFile, writeFile } from 'node:fs/promises';
import { z } from 'zod';

/** Id of the master's own machine as a node (master/nodes/local/local-node.ts). */
const OWN_MACHINE = 'local';

const volumeSchema = z.looseObject({
  attachment: z.looseObject({ node: z.string(), savedAt: z.int().nullable() }).nullable(),
});

/**
 * Detaches a restored volume that was in use by a service on the master's own machine. Data that this service wrote
 * after its last save was lost with that machine, and can never be saved. If the service still runs, because this is
 * the same machine, the master attaches the volume to it again.
 *
 * @param path path of `volume.json`
 * @param volume id of the volume
 * @returns one sentence that says from which data the service will start; null if the volume was not detached
 */
export async function detachOwnMachine(path: string, volume: string): Promise<string | null> {
  const document = volumeSchema.parse(JSON.parse(await readFile(path, 'utf8')));
  const { attachment } = document;
  if (attachment?.node !== OWN_MACHINE) return null;
  await writeFile(path, JSON.stringify({ ...document, attachment: null }, null, 2), { mode: 0o600 });
  const from =
    attachment.savedAt === null
      ? 'what it began with'
      : `its last save, of ${new Date(attachment.savedAt).toISOString().slice(0, 16).replace('T', ' ')} UTC`;
  return `Volume ${volume} was in use on the master's own machine: its service starts from ${from}.`;
}
