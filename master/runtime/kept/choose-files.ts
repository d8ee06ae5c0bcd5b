import { MAX_PIECE_BYTES, type ServiceFile } from '#shared/model/service-files.ts';

/** Selects files of an ended service that are kept. */
interface Rule {
  /** Folder in the service's folder; empty for the folder itself. */
  readonly folder: string;
  readonly names: RegExp;
  /** Maximum number of files; the newest are kept. */
  readonly newest: number;
  /** Part that is kept if a file is longer than {@link MAX_PIECE_BYTES}. */
  readonly part: 'start' | 'end';
}

/**
 * The files that explain why a server ended, most important first: crash reports of Minecraft servers, fatal error
 * logs of the JVM, and logs. A crash report and a fatal error log begin with the cause; a log ends with it.
 */
const RULES: readonly Rule[] = [
  { folder: 'crash-reports', names: /\.txt$/, newest: 3, part: 'start' },
  { folder: '', names: /^hs_err_pid\d+\.log$/, newest: 2, part: 'start' },
  { folder: 'logs', names: /^latest\.log$/, newest: 1, part: 'end' },
  { folder: 'logs', names: /^(?!latest\.log$).*\.(?:log|log\.gz|txt)$/, newest: 2, part: 'end' },
];

/** Folders of a service that may contain files to keep. */
export const FOLDERS_OF_INTEREST: readonly string[] = [...new Set(RULES.map(({ folder }) => folder))];

/** A file to keep, and which of its bytes are kept. */
export interface ChosenFile {
  readonly path: string;
  readonly bytes: number;
  readonly changedAt: number;
  readonly from: number;
  readonly length: number;
}

/**
 * Chooses which crash reports and logs of an ended service are kept: at most 8 files, and at most 512 KiB of each
 * file. Only a part of a longer file is kept. A longer compressed file is left out.
 *
 * @param listings entries of {@link FOLDERS_OF_INTEREST}, by folder
 * @returns the files, most important first
 */
export function chooseFiles(listings: ReadonlyMap<string, readonly ServiceFile[]>): readonly ChosenFile[] {
  return RULES.flatMap(({ folder, names, newest, part }) =>
    (listings.get(folder) ?? [])
      .filter((entry) => entry.kind === 'file' && entry.bytes > 0 && names.test(entry.name))
      // The end of a compressed file is not readable.
      .filter(({ name, bytes }) => !name.endsWith('.gz') || bytes <= MAX_PIECE_BYTES)
      .toSorted((a, b) => b.changedAt - a.changedAt || (a.name < b.name ? 1 : -1))
      .slice(0, newest)
      .map(({ name, bytes, changedAt }) => {
        const length = Math.min(bytes, MAX_PIECE_BYTES);
        const path = folder === '' ? name : `${folder}/${name}`;
        return { path, bytes, changedAt, from: part === 'end' ? bytes - length : 0, length };
      }),
  );
}
