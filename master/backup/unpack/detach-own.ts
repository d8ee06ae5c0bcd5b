import { readFile, writeFile } from 'node:fs/promises';
import { parseVolumeDocument } from '../volume-document.ts';

/** Id of the master's own machine as a node (master/nodes/local/local-node.ts). */
const OWN_MACHINE = 'local';

/**
 * Detaches a restored volume that was in use by a service on the master's own machine. Data that this service wrote
 * after its last save was lost with that machine, and can never be saved. If the service still runs, because this is
 * the same machine, the master attaches the volume to it again. A damaged document stays as it is, because the master
 * reports it and does not change the volume.
 *
 * @param path path of `volume.json`
 * @param volume id of the volume
 * @returns one sentence that says from which data the service will start, or that the document is damaged; null if
 *   neither is the case
 */
export async function detachOwnMachine(path: string, volume: string): Promise<string | null> {
  const document = parseVolumeDocument(await readFile(path, 'utf8'));
  if (document === null)
    return `The file volume.json of volume ${volume} is damaged, and was restored as it is. Repair it; until then, the service of the volume does not start.`;
  const { attachment } = document;
  if (attachment?.node !== OWN_MACHINE) return null;
  await writeFile(path, JSON.stringify({ ...document, attachment: null }, null, 2), { mode: 0o600 });
  const from =
    attachment.savedAt === null
      ? 'what it began with'
      : `its last save, of ${new Date(attachment.savedAt).toISOString().slice(0, 16).replace('T', ' ')} UTC`;
  return `Volume ${volume} was in use on the master's own machine: its service starts from ${from}.`;
}
