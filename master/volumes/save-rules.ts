import type { MasterConfig } from '#shared/config/master.ts';
import { OverworldError } from '#shared/errors/overworld-error.ts';
import { savesToRemove } from '#master/core/volumes/retention.ts';
import type { KeptFile } from '#master/templates/revisions/manifest.ts';
import type { RevisionRecord, RevisionSummary } from '#master/templates/revisions/revision-record.ts';

const MB = 2 ** 20;

type Settings = MasterConfig['volumes'];

/**
 * Returns the saves that are no longer kept, except those in use. Separate saves take no place in the retention, so that
 * a node cannot push other saves out of it. They are kept as long as they are in use or there is no other save.
 *
 * @param known.isAside returns whether a save is a separate one (`placeOfSave` in master/core/volumes)
 */
export function expired(
  saves: readonly RevisionSummary[],
  retention: Settings['retention'],
  {
    isUsed,
    isAside,
  }: { readonly isUsed: (save: string) => boolean; readonly isAside: (save: string) => boolean },
): string[] {
  const others = saves.filter(({ revision }) => !isAside(revision));
  const aside = saves.flatMap(({ revision }) => (others.length > 0 && isAside(revision) ? [revision] : []));
  const candidates = others.map(({ revision, storedAt }) => ({ id: revision, at: storedAt }));
  return [...savesToRemove(candidates, retention), ...aside].filter((save) => !isUsed(save));
}

/**
 * Checks a save against the quotas (docs/specification.md#volumes). The quota of all volumes is not applied to a save
 * that adds nothing to the disk, so that services can stop after the quota was lowered.
 *
 * @param known.totalBytes returns the space that all saves of all volumes take (bytes)
 * @throws OverworldError VOLUME_QUOTA
 */
export async function requireQuota(
  volume: string,
  files: readonly KeptFile[],
  known: {
    readonly isKnown: (hash: string) => boolean;
    readonly quota: Settings['quota'];
    readonly totalBytes: () => Promise<number>;
  },
): Promise<void> {
  const refuse = (setting: string, bytes: number, limitMb: number): void => {
    const needsMb = Math.ceil(bytes / MB);
    if (limitMb !== -1 && needsMb > limitMb)
      throw new OverworldError('VOLUME_QUOTA', { volume, setting, needsMb, limitMb });
  };
  const { perVolume, total } = known.quota;
  refuse('volumes.quota.perVolume', sizeOf(files), perVolume);
  const added = sizeOf(files.filter(({ hash }) => !known.isKnown(hash)));
  if (total !== -1 && added > 0) refuse('volumes.quota.total', (await known.totalBytes()) + added, total);
}

/**
 * Returns the entries of a manifest, sorted by path. Their stamps have the size and the modification time; the rest
 * belongs to the node.
 */
export function toEntries(files: readonly KeptFile[]): RevisionRecord['entries'] {
  return files.map(toEntry).sort((a, b) => (a.path < b.path ? -1 : 1));
}

function toEntry({ path, size, mode, hash, modifiedAtMs }: KeptFile): RevisionRecord['entries'][number] {
  return { path, size, mode, hash, stamp: `${size}:${Math.round(modifiedAtMs * 1e6)}:0:0` };
}

function sizeOf(files: readonly Pick<KeptFile, 'size'>[]): number {
  return files.reduce((sum, { size }) => sum + size, 0);
}
