import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { REMOTE_NODE, type NodeNames } from '#master/nodes/node-names.ts';

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

/** Tool sources that are already loaded, by the user name on the node (`NodeNames.user`). */
const known = new Map<string, ToolSource>();

/**
 * Returns the node tool of this master. If the master is not bundled, reads the tool from its source files.
 *
 * @param names names on the node; they are part of the tool, as its file `machine/names.json`
 */
export function toolSource(names: NodeNames = REMOTE_NODE): ToolSource {
  const made = known.get(names.user);
  if (made !== undefined) return made;
  const source =
    typeof OVERWORLD_NODE_TOOL === 'undefined'
      ? readToolFiles(join(import.meta.dirname, 'tool'))
      : OVERWORLD_NODE_TOOL;
  const files = { ...source, 'machine/names.json': JSON.stringify(names) };
  const hash = createHash('sha256').update(JSON.stringify(files)).digest('hex');
  const read = { version: hash.slice(0, 16), files };
  known.set(names.user, read);
  return read;
}

/**
 * Returns the contents of the files in the tool's folders by path, sorted so that the same files always have the same
 * hash.
 *
 * @throws errno errors
 */
export function readToolFiles(folder: string): Record<string, string> {
  const paths = ['', 'layouts/', 'live/', 'machine/', 'unit-files/', 'volumes/']
    .flatMap((subfolder) =>
      readdirSync(join(folder, subfolder), { withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map(({ name }) => `${subfolder}${name}`),
    )
    .sort();
  return Object.fromEntries(paths.map((path) => [path, readFileSync(join(folder, path), 'utf8')]));
}
