import type { Entry } from '../../stores/files/folder.svelte.ts';
import type { CodeLanguage } from '../../ui/code/contract.ts';

/** Maximum size of a text file that the editor opens (`files.open`, bytes). */
const MOST_BYTES = 4_194_304;

const languages: Readonly<Record<string, CodeLanguage>> = {
  json: 'json',
  json5: 'json',
  mcmeta: 'json',
  yml: 'yaml',
  yaml: 'yaml',
  properties: 'properties',
  conf: 'properties',
  cfg: 'properties',
  ini: 'properties',
  toml: 'toml',
  sh: 'shell',
  bash: 'shell',
  xml: 'xml',
  html: 'xml',
  svg: 'xml',
  txt: 'text',
  md: 'text',
  log: 'text',
  csv: 'text',
  mcfunction: 'text',
  sk: 'text',
  lang: 'properties',
  bat: 'text',
  gitignore: 'text',
  lock: 'text',
  secret: 'text',
};

/** Returns the highlighting language of a file by its extension. */
export function languageOf(name: string): CodeLanguage {
  return languages[endingOf(name)] ?? 'text';
}

/**
 * Returns whether a double click opens the file in the editor, by its size and extension. Only reading the file shows
 * whether it really contains text.
 */
export function isEditable({ kind, name, bytes }: Pick<Entry, 'kind' | 'name' | 'bytes'>): boolean {
  return kind === 'file' && bytes <= MOST_BYTES && (!name.includes('.') || endingOf(name) in languages);
}

function endingOf(name: string): string {
  return name.slice(name.lastIndexOf('.') + 1).toLowerCase();
}
