import { OverworldError } from '#shared/errors/overworld-error.ts';
import { HAND_OVER_FILE } from '#shared/link/messages.ts';
import { PLUGIN_FILE } from '#shared/link/software.ts';
import type { ServiceCopy } from '#shared/model/service-files.ts';
import type { ServiceId } from '#shared/model/service.ts';
import { templateOfService } from '#shared/model/service-id.ts';
import type { TemplateLimit } from '#shared/model/access/template-limit.ts';
import { withFileErrors } from '#master/files/file-errors.ts';
import type { CopyReport } from '#master/files/tasks/copy.ts';
import { fetchTree } from '#master/files/tasks/fetch/fetch.ts';
import type { FileJobs } from '#master/files/tasks/file-jobs.ts';
import type { SecretFilter } from '#master/files/tasks/fetch/secret-filter.ts';
import type { FileSource } from '#master/files/tasks/fetch/source.ts';
import type { Staging } from '#master/files/tasks/fetch/staging.ts';
import { withoutProgress, type Work } from '#master/files/tasks/tasks.ts';

/** Maximum size of one copy (bytes). */
const MAX_COPY_BYTES = 20 * 2 ** 30;

/**
 * Files that the master adds to each service when it starts. They contain secrets, or do not belong to the template.
 */
const ADDED = new Set([HAND_OVER_FILE, PLUGIN_FILE]);

export interface CopyPlaces {
  readonly staging: Staging;
  /** Hides the network's secret in files of services. */
  readonly secret: SecretFilter;
}

export interface ServiceToCopy {
  readonly id: ServiceId;
  readonly source: FileSource;
  readonly paths: readonly string[];
}

/**
 * Copies a service's files to a new folder of the shared files.
 *
 * @returns what the copy contains, and its path as users see it
 * @throws OverworldError SERVICE_COPIES_FULL, SERVICE_COPY_TOO_LARGE, FILE_NOT_FOUND, FILE_FORBIDDEN, DISK_FULL,
 *   DISK_RESERVED, TOO_MANY, NODE_UNREACHABLE; the reason of the signal if it was aborted
 */
export async function keepCopy(
  service: ServiceToCopy,
  { jobs, ...places }: CopyPlaces & { readonly jobs: FileJobs },
  work: Work,
): Promise<ServiceCopy & { readonly folder: string }> {
  await jobs.requirePlaceForCopy();
  return places.staging.use(async ({ path, shown: staged }) => {
    const copied = await fetchService({ ...service, into: path }, places, work);
    const folder = await jobs.storeCopy({ id: service.id, path, staged, at: Date.now() }, work);
    return { ...copied, folder };
  });
}

export interface TemplateCopy extends CopyPlaces {
  readonly jobs: FileJobs;
  /** Template limit of the caller. */
  readonly limit: TemplateLimit;
  readonly replace: boolean;
  readonly onEnd: (report: CopyReport) => void;
}

/**
 * Copies files of a service to the same paths in its template. Like uploaded files, they belong to the template's
 * next revision.
 *
 * @throws OverworldError as {@link keepCopy}, except SERVICE_COPIES_FULL
 */
export async function copyToTemplate(
  service: ServiceToCopy,
  { jobs, limit, replace, onEnd, ...places }: TemplateCopy,
  work: Work,
): Promise<ServiceCopy> {
  const { staging } = places;
  return staging.use(async (staged) => {
    const fetched = await fetchService({ ...service, into: staged.path }, places, work);
    const names = await staged.names();
    if (names.length === 0) return fetched;
    const request = {
      paths: names.map((name) => `${staged.shown}/${name}`),
      folder: `/templates/${templateOfService(service.id)}`,
      onConflict: replace ? ('overwrite' as const) : ('skip' as const),
      staged: true,
      onEnd,
    };
    const { files, bytes, skipped } = await jobs.copy(limit, request, withoutProgress(work));
    return { ...fetched, files, bytes, skipped: [...fetched.skipped, ...skipped] };
  });
}

function fetchService(
  { id, source, paths, into }: ServiceToCopy & { readonly into: string },
  { staging, secret }: CopyPlaces,
  work: Work,
): Promise<ServiceCopy> {
  const admit = (bytes: number): void => {
    if (bytes <= MAX_COPY_BYTES) return;
    throw new OverworldError('SERVICE_COPY_TOO_LARGE', { service: id, limitGb: MAX_COPY_BYTES / 2 ** 30 });
  };
  const reserve = staging.area.reserve('files');
  return withFileErrors(id, () =>
    fetchTree(source, { paths, into, admit, secret, reserve, leavesOut: (path) => ADDED.has(path) }, work),
  );
}
