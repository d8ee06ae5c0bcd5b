import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Source files of the node tool by path in its folder. */
type ToolFiles = Readonly<Record<string, string>>;

/**
 * Source files of the tool in the bundled master (build/vite.master.config.ts); undefined if the master is not
 * bundled. The files are bundled so that the master is a single file.
 */
declare const OVERWORLD_NODE_TOOL: ToolFiles | undefined;

/** The node tool as installed on nodes, and its version. The version is the hash of its files. */
export interface ToolSource {
  readonly version: string;
  readonly files: ToolFiles;
}

let read: ToolSource | null = null;

/** Returns the node tool of this master. If the master is not bundled, reads the tool from its source files. */
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

/** Reads the files of the tool's folders, sorted by path so that the same files always have the same hash. */
export function readToolFiles(folder: string): Record<string, string> {
  const paths = ['', 'live/', 'unit-files/', 'volumes/']
    .flatMap((subfolder) =>
      readdirSync(join(folder, subfolder), { withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map(({ name }) => `${subfolder}${name}`),
    )
    .sort();
  return Object.fromEntries(paths.map((path) => [path, readFileSync(join(folder, path), 'utf8')]));
}
