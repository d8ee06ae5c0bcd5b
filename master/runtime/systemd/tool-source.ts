import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Source files of the node tool by name. */
type ToolFiles = Readonly<Record<string, string>>;

/**
 * The bundled master contains the tool (build/vite.master.config.ts), so that it is a single file that runs
 * anywhere.
 */
declare const OVERWORLD_NODE_TOOL: ToolFiles | undefined;

/** The node tool as installed on nodes, and its version. The version is the hash of its files. */
export interface ToolSource {
  readonly version: string;
  readonly files: ToolFiles;
}

let read: ToolSource | null = null;

/** Returns the node tool of this master; read from its sources if the master is not bundled. */
export function toolSource(): ToolSource {
  if (read === null) {
    const files =
      typeof OVERWORLD_NODE_TOOL === 'undefined'
        ? readToolFiles(join(import.meta.dirname, 'tool'))
        : OVERWORLD_NODE_TOOL;
    const hash = createHash('sha256').update(JSON.stringify(files)).digest('hex');
    read = { version: hash.slice(0, 16), files };
  }
  return read;
}

/** Reads all files of a tool's folder, sorted by name so that the same files always have the same hash. */
export function readToolFiles(folder: string): Record<string, string> {
  const names = readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ name }) => name)
    .sort();
  return Object.fromEntries(names.map((name) => [name, readFileSync(join(folder, name), 'utf8')]));
}
