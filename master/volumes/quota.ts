import type { MasterConfig } from '#shared/config/master.ts';
import { OverworldError } from '#shared/errors/overworld-error.ts';
import type { PersistentFile } from '#master/templates/revisions/manifest.ts';

const MB = 2 ** 20;

/**
 * Reserves space on the disk for the saves in progress of all volumes. Otherwise, several saves that end at the same
 * time could together exceed the quota of all volumes, although each of them alone fits into it
 * (docs/specification.md#volumes).
 */
export class QuotaClaims {
  readonly #storedBytes: () => Promise<number>;
  /** Claims that are not 0 bytes. */
  readonly #claims = new Set<{ bytes: number }>();
  /** Number of times that a claim was lowered. A claim may be lowered because its save was stored. */
  #lowered = 0;

  /** @param storedBytes returns the space that all saves of all volumes take (bytes) */
  constructor(storedBytes: () => Promise<number>) {
    this.#storedBytes = storedBytes;
  }

  /** Begins a claim of 0 bytes. */
  begin(): QuotaClaim {
    const own = { bytes: 0 };
    const set = (bytes: number): void => {
      if (bytes < own.bytes) this.#lowered += 1;
      own.bytes = bytes;
      if (bytes === 0) this.#claims.delete(own);
      else this.#claims.add(own);
    };
    return {
      set,
      claim: async (bytes, requireAllowed) => {
        for (;;) {
          const lowered = this.#lowered;
          const stored = await this.#storedBytes();
          // A save that was stored during the count may be missing in the count, although its claim has ended. The
          // count is therefore repeated.
          if (lowered !== this.#lowered) continue;
          const others = [...this.#claims].reduce((sum, one) => (one === own ? sum : sum + one.bytes), 0);
          requireAllowed(stored + others + bytes);
          set(bytes);
          return;
        }
      },
    };
  }
}

/** Space that one save, or one working copy, will take in addition to what is stored. */
export interface QuotaClaim {
  /**
   * Claims `bytes` bytes instead of what was claimed before. Must be set to 0 when the save is stored or has failed.
   */
  readonly set: (bytes: number) => void;
  /**
   * Claims `bytes` bytes like {@link set}, if `requireAllowed` permits this.
   *
   * @param requireAllowed called with the space that all saves will take then (bytes). If it throws, nothing changes
   * @throws what `requireAllowed` throws; errno errors
   */
  readonly claim: (bytes: number, requireAllowed: (takenBytes: number) => void) => Promise<void>;
}

/** What the quotas need to know of a file. */
export type CountedFile = Pick<PersistentFile, 'hash' | 'size'>;

/** Checks the files of a save against the quotas. @throws OverworldError VOLUME_QUOTA; errno errors */
export type RequireQuota = (files: readonly CountedFile[]) => Promise<void>;

interface QuotaFacts {
  readonly volume: string;
  /** Returns the settings `volumes` of the master configuration. */
  readonly settings: () => Pick<MasterConfig['volumes'], 'quota'>;
  readonly claims: QuotaClaims;
  /** Returns the hashes of contents that are stored already. */
  readonly known: () => ReadonlySet<string>;
}

/**
 * Runs `work`, which stores a save, and gives it a function that checks the quotas (docs/specification.md#volumes).
 * From this check until `work` has ended, checks of other saves also count the space that this save adds. The quota
 * of all volumes is not applied to a save that adds nothing to the disk, so that services can stop after the quota
 * was lowered.
 *
 * @throws what `work` throws
 */
export async function withQuota<T>(
  facts: QuotaFacts,
  work: (requireQuota: RequireQuota) => Promise<T>,
): Promise<T> {
  const claim = facts.claims.begin();
  try {
    return await work((files) => requireQuota(facts, claim, files));
  } finally {
    claim.set(0);
  }
}

async function requireQuota(
  { volume, settings, known }: QuotaFacts,
  claim: QuotaClaim,
  files: readonly CountedFile[],
): Promise<void> {
  const refuse = (setting: string, bytes: number, limitMb: number): void => {
    const needsMb = Math.ceil(bytes / MB);
    if (limitMb !== -1 && needsMb > limitMb)
      throw new OverworldError('VOLUME_QUOTA', { volume, setting, needsMb, limitMb });
  };
  const { perVolume, total } = settings().quota;
  refuse('volumes.quota.perVolume', sizeOf(files), perVolume);
  const stored = known();
  const added = sizeOf(files.filter(({ hash }) => !stored.has(hash)));
  if (total === -1 || added === 0) claim.set(added);
  else await claim.claim(added, (takenBytes) => refuse('volumes.quota.total', takenBytes, total));
}

function sizeOf(files: readonly CountedFile[]): number {
  return files.reduce((sum, { size }) => sum + size, 0);
}
