import { readFile } from 'node:fs/promises';
import { z } from 'zod';
import { writeDurably } from '#master/store/write-durably.ts';
import { LAST_RECORD, LIVE_RECORD } from './places.ts';

/** A finished step. */
const stepSchema = z.object({
  step: z.enum(['verify', 'check', 'keep', 'install', 'serve', 'return']),
  status: z.enum(['done', 'unchanged', 'failed']),
  detail: z.string(),
});
export type UpgradeStep = z.infer<typeof stepSchema>;

const resultSchema = z.object({
  /** Version of the new package. Null if it could not be read. */
  version: z.string().nullable(),
  /** Version that was installed before. */
  before: z.string(),
  /** Whether the newer version was installed and then replaced with the previous version. */
  returned: z.boolean(),
  /** Whether exactly this package was already installed. */
  unchanged: z.boolean(),
  /**
   * Time from the stop of the old master until the new master makes decisions (ms). Null if no master was restarted.
   */
  pauseMs: z.int().nullable(),
  /** Why the upgrade failed (`shared/errors/wire.ts`). Null if it succeeded. */
  error: z
    .object({ code: z.string(), details: z.record(z.string(), z.unknown()), message: z.string() })
    .nullable(),
  /** Last log lines of the newer version if it failed. */
  log: z.array(z.string()),
});
export type UpgradeResult = z.infer<typeof resultSchema>;

const recordSchema = z.object({
  /** Id of this upgrade. */
  run: z.string(),
  startedAt: z.int(),
  before: z.string(),
  version: z.string().nullable(),
  /**
   * Marks of the packages that this upgrade, and interrupted upgrades that it continues, have found installed or have
   * begun to install. Empty in records of earlier versions.
   */
  marks: z.array(z.string()).default([]),
  /**
   * `changing`: the installed version is being replaced. An upgrade that is interrupted in this phase is unfinished.
   * An upgrade that continues it has this phase from its beginning, and keeps it if it is refused.
   */
  phase: z.enum(['preparing', 'changing', 'finished']),
  steps: z.array(stepSchema),
  result: resultSchema.nullable(),
});

/** Progress and result of an upgrade. */
export type UpgradeRecord = z.infer<typeof recordSchema>;

/** Paths of the record of the running upgrade, and of its copy on disk. */
interface RecordPaths {
  readonly live: string;
  readonly last: string;
}

const PATHS: RecordPaths = { live: LIVE_RECORD, last: LAST_RECORD };

/** Reads the record of the running or the last upgrade. Null if there was none. */
export async function readRecord({ live, last } = PATHS): Promise<UpgradeRecord | null> {
  return (await readAt(live)) ?? (await readAt(last));
}

async function readAt(path: string): Promise<UpgradeRecord | null> {
  const text = await readFile(path, 'utf8').catch(() => null);
  if (text === null) return null;
  try {
    return recordSchema.parse(JSON.parse(text));
  } catch {
    // The record is damaged, or was written by a version with another format. Nothing in it can be used.
    return null;
  }
}

/** Writes the record of one upgrade, which the command line shows while the upgrade runs. */
export class RecordWriter {
  #record: UpgradeRecord;
  readonly #paths: RecordPaths;

  private constructor(record: UpgradeRecord, paths: RecordPaths) {
    this.#record = record;
    this.#paths = paths;
  }

  /**
   * Begins a record. The new record replaces the record of the last upgrade.
   *
   * @param unfinished the interrupted upgrade that this upgrade continues. Null if there is none.
   */
  static async begin(
    facts: Pick<UpgradeRecord, 'run' | 'before' | 'startedAt' | 'marks'>,
    unfinished: Pick<UpgradeRecord, 'version' | 'marks'> | null,
    paths = PATHS,
  ): Promise<RecordWriter> {
    const version = unfinished?.version ?? null;
    const phase = unfinished === null ? 'preparing' : 'changing';
    const marks = [...new Set([...(unfinished?.marks ?? []), ...facts.marks])];
    const writer = new RecordWriter({ ...facts, version, marks, phase, steps: [], result: null }, paths);
    await writer.#write({});
    return writer;
  }

  /** Adds a finished step to the record, and prints the step to the log of the unit. */
  async step(step: UpgradeStep): Promise<void> {
    console.log(`${step.step}: ${step.status}: ${step.detail}`);
    await this.#write({ steps: [...this.#record.steps, step] });
  }

  /**
   * Records that the installed version is about to be replaced.
   *
   * @param options.mark mark of the new package
   */
  async changing({
    mark,
    ...facts
  }: Pick<UpgradeRecord, 'before' | 'version'> & { readonly mark: string }): Promise<void> {
    const marks = [...new Set([...this.#record.marks, mark])];
    await this.#write({ ...facts, marks, phase: 'changing' });
    await this.#keep();
  }

  /** Records that the change of the installed version has ended, whatever its result is. */
  async changed(): Promise<void> {
    await this.#write({ phase: 'finished' });
  }

  /**
   * Writes the result of the upgrade. The record is then complete. If this upgrade was refused before it could
   * continue an interrupted one, the record keeps the phase `changing`, so that a later upgrade can continue.
   */
  async finish(result: UpgradeResult): Promise<void> {
    const phase = this.#record.phase === 'changing' ? 'changing' : 'finished';
    await this.#write({ result, phase });
    await this.#keep();
  }

  async #write(change: Partial<UpgradeRecord>): Promise<void> {
    this.#record = { ...this.#record, ...change };
    await writeDurably(this.#paths.live, this.#text());
  }

  /**
   * Stores the record on disk, so that it survives a restart of the machine. Ignores errors, because a full disk must
   * not end an upgrade.
   */
  async #keep(): Promise<void> {
    await writeDurably(this.#paths.last, this.#text()).catch((error: unknown) => {
      console.log(`the record could not be kept: ${String(error)}`);
    });
  }

  #text(): string {
    return `${JSON.stringify(this.#record, null, 2)}\n`;
  }
}
