import { isAbsolute, join } from 'node:path';
import { closedTable, type BaseFolder } from './closed-table.ts';
import { holds } from './write-reasons.ts';

interface ClosedOptions {
  readonly home: string;
  /** Folder of program settings: `~/.config`, `~/Library/Application Support`, `%APPDATA%`. */
  readonly settings: string;
  readonly platform: NodeJS.Platform;
  readonly environment: NodeJS.ProcessEnv;
}

/**
 * Returns the paths of this computer that the window may not access, whether they exist or not. Looks for settings in
 * `~/.config` on every system, because many programs use this folder everywhere.
 */
export function closedPaths({ home, settings, platform, environment }: ClosedOptions): string[] {
  const local = environment['LOCALAPPDATA'] ?? join(home, 'AppData', 'Local');
  const bases: Readonly<Record<BaseFolder, readonly string[]>> = {
    home: [home],
    settings: [...new Set([settings, join(home, '.config')])],
    local: platform === 'win32' ? [local] : [],
  };
  const named = closedTable.flatMap(({ base, paths }) =>
    bases[base].flatMap((folder) => paths.map((path) => join(folder, ...path.split('/')))),
  );
  const elsewhere = closedTable
    .flatMap(({ moved = [] }) => moved.map((name) => environment[name] ?? ''))
    // KUBECONFIG may list several paths.
    .flatMap((value) => value.split(platform === 'win32' ? ';' : ':'))
    // A path that contains the home folder is left out, because it would close all places.
    .filter((path) => isAbsolute(path) && !holds(path, home));
  return [...new Set([...named, ...elsewhere])];
}
