import type { TemplateLimit } from '#shared/model/access/template-limit.ts';
import type { CopyConflict, ManifestEntry } from '#shared/model/files.ts';
import type { FileArea } from '../sftp/jail/file-area.ts';
import { copy, type CopyReport, type CopyResult } from './copy.ts';
import { requirePlaceForCopy, storeCopy, type CompleteCopy } from './kept-copies.ts';
import { makeManifest } from './manifest.ts';
import { search, type SearchRequest, type SearchResult } from './search.ts';
import type { Work } from './tasks.ts';

export interface CopyJob {
  readonly paths: readonly string[];
  readonly folder: string;
  readonly onConflict: CopyConflict;
  /** Whether the paths are in the staging folders (fetch/staging.ts), which users cannot access. */
  readonly staged: boolean;
  /** Called once, on success and on failure. */
  readonly onEnd: (report: CopyReport) => void;
}

/**
 * The tasks that use the jail, for callers with a template limit. Other parts of the master use the jail only through
 * these tasks, so that the jail can be in another process.
 */
export interface FileJobs {
  /** Lists a folder for comparison. Throws like {@link makeManifest}. */
  manifest(
    limit: TemplateLimit,
    request: { readonly folder: string; readonly hashes: boolean },
    work: Work,
  ): Promise<ManifestEntry[]>;
  /** Searches a folder. Throws like {@link search}. */
  search(limit: TemplateLimit, request: SearchRequest, work: Work): Promise<SearchResult>;
  /** Copies files and folders. Throws like {@link copy}. */
  copy(limit: TemplateLimit, job: CopyJob, work: Work): Promise<CopyResult>;
  /** Checks that one more copy of a service's files may be stored. Throws like {@link requirePlaceForCopy}. */
  requirePlaceForCopy(): Promise<void>;
  /** Moves a complete copy of a service's files to its final folder. Throws like {@link storeCopy}. */
  storeCopy(copy: CompleteCopy, work: Work): Promise<string>;
}

/** Runs the tasks in this process. */
export class DirectFileJobs implements FileJobs {
  readonly #area: FileArea;
  readonly #staged: FileArea | null;

  /** @param staged jail of the staging folders; null if there are no staging folders */
  constructor(area: FileArea, staged: FileArea | null) {
    this.#area = area;
    this.#staged = staged;
  }

  manifest: FileJobs['manifest'] = (limit, request, work) =>
    makeManifest(this.#area.limitedTo(limit), request, work);

  search: FileJobs['search'] = (limit, request, work) => search(this.#area.limitedTo(limit), request, work);

  copy: FileJobs['copy'] = (limit, { staged, ...request }, work) => {
    const from = staged && this.#staged !== null ? { from: this.#staged } : {};
    return copy(this.#area.limitedTo(limit), { ...request, ...from }, work);
  };

  requirePlaceForCopy: FileJobs['requirePlaceForCopy'] = () => requirePlaceForCopy(this.#area);

  storeCopy: FileJobs['storeCopy'] = (complete, work) =>
    storeCopy({ area: this.#area, from: this.#staged }, complete, work);
}
