import { z } from 'zod';
import { openJsonFile, type JsonFile } from '#master/store/json-file.ts';

/**
 * Stored data about the master's own machine as a node. `readyAt`: when the machine was ready for the first time (ms
 * since epoch); null if it never was.
 */
const stateSchema = z.object({ readyAt: z.int().nullable() });

/**
 * Opens the stored data about the master's own machine as a node.
 *
 * @param path path of `local-node.json`
 * @throws OverworldError DATA_FAULTY
 */
export function openMachineState(path: string): Promise<JsonFile<z.infer<typeof stateSchema>>> {
  return openJsonFile(path, stateSchema, { readyAt: null });
}
