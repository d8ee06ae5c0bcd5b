import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { OWN_MACHINE } from '#master/nodes/node-names.ts';

/** Folder in which the node keeps notes about each of its services (runtime/systemd/tool/places.py). */
const NOTES = join(OWN_MACHINE.data, 'notes');

const recordSchema = z.object({ persistent: z.array(z.string()).default([]) });

/**
 * Returns the ids of services on this machine, running or ended, whose data may not be saved yet. These are services
 * that were started and have persistent paths, according to the node's notes about its services. The node keeps the
 * notes of a service until the master has saved its data. A service whose notes cannot be read is included.
 *
 * @param notes folder with the notes of all services; if it does not exist, there are no notes
 * @throws errno errors
 */
export async function unsavedServices(notes = NOTES): Promise<string[]> {
  if (!existsSync(notes)) return [];
  const unsaved: string[] = [];
  for (const id of (await readdir(notes)).sort()) {
    if (!existsSync(join(notes, id, 'start'))) continue;
    const record = recordSchema.safeParse(await readJson(join(notes, id, 'service.json')));
    if (!record.success || record.data.persistent.length > 0) unsaved.push(id);
  }
  return unsaved;
}

async function readJson(path: string): Promise<unknown> {
  try {
    return JSON.parse(await readFile(path, 'utf8'));
  } catch {
    return null;
  }
}
