import type { SearchHit } from '#shared/model/files.ts';
import type { Result } from '#shared/rpc/contract.ts';
import { call } from '../../../bridge/bridge.ts';
import { OwnTask } from '../../../stores/files/own-task.svelte.ts';

/** Maximum number of displayed hits. */
const MOST = 2000;

/** One search result: a file or folder, or one line of a file. */
export interface SearchMatch {
  readonly id: string;
  readonly hit: SearchHit;
  /** Number of the matching line. Null if the result is the file or folder itself. */
  readonly line: number | null;
  readonly text: string;
}

/** State of the search on the Files screen. It survives visits to the editor. */
class FileSearch {
  folder = $state('/');
  name = $state('');
  text = $state('');
  caseSensitive = $state(false);
  result = $state.raw<Result<'files.search'> | null>(null);
  /** Id of the active result. */
  active = $state<string | null>(null);
  readonly task = new OwnTask();

  /** The results: one for each matching line, and one for each hit without matching lines. */
  get found(): readonly SearchMatch[] {
    return (this.result?.hits ?? []).flatMap((hit): SearchMatch[] =>
      hit.lines.length === 0
        ? [{ id: hit.path, hit, line: null, text: '' }]
        : hit.lines.map(({ line, text }) => ({ id: `${hit.path}:${line}`, hit, line, text })),
    );
  }

  /** Why the search cannot start. Undefined if it can. */
  get problem(): string | undefined {
    if (!this.folder.startsWith('/')) return 'The folder must begin with a slash, for example /templates.';
    return this.name.trim() === '' && this.text === ''
      ? 'Enter part of a name, a pattern such as *.yml, or a text.'
      : undefined;
  }

  readonly run = async (): Promise<void> => {
    this.result = null;
    this.active = null;
    const { folder, caseSensitive } = this;
    const name = this.name.trim();
    const text = this.text === '' ? null : this.text;
    this.result = await this.task.run(`Searching ${folder}`, (task) =>
      call('files.search', { folder, name, text, caseSensitive, limit: MOST, task }),
    );
  };
}

export const fileSearch = new FileSearch();
