import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { toOverworldError } from '#shared/errors/overworld-error.ts';
import type { Costs, History, HistoryRange } from '#shared/model/history.ts';
import { writeDurably } from '#master/store/write-durably.ts';
import type { Documents } from '#master/state/context/documents.ts';
import type { Environment } from '#master/state/context/environment.ts';
import type { NodeAccess } from '#master/state/context/node-access.ts';
import type { ServiceStores } from '#master/state/context/service-stores.ts';
import type { IngressAccess } from '#master/ingress/ingress-access.ts';
import type { Feed } from '#master/state/context/feed.ts';
import { addSample, stepOf, toHistory, type TimeSeries } from './time-series.ts';
import { fromText, MAX_TIME_SERIES_BYTES, toText } from './time-series-text.ts';
import { cloudNodes, paidNodes } from '#master/state/costs/cloud-nodes.ts';
import { observeNetwork } from './observe-network.ts';

/**
 * Interval between samples (ms). Short enough for a meaningful mean per minute; reading all services six times a
 * minute is cheap.
 */
const SAMPLE_MS = 10_000;

const MINUTE_MS = 60_000;

type Known = Pick<Documents, 'config' | 'overrides'> &
  Pick<Environment, 'now' | 'log'> &
  Pick<NodeAccess, 'registry' | 'costs'> &
  Pick<ServiceStores, 'records'> &
  Pick<IngressAccess, 'link' | 'proxies'> &
  Pick<Feed, 'topics'>;

/**
 * Records the state and the cost of the network. Takes a sample every ten seconds. Writes the history once a minute
 * (`history.jsonl`, at most 100 KB, replaced as a whole), and the costs whenever a new paid hour of a node begins
 * (`costs.json`).
 */
export class Recorder {
  readonly #known: Known;
  readonly #path: string;
  #series: TimeSeries;
  /** Start of the current minute (ms since epoch). */
  #minute: number;
  #timer: NodeJS.Timeout | null = null;
  #writing: Promise<void> = Promise.resolve();
  /** Whether the last write failed, so that a full disk is reported once and not every minute. */
  #failing = false;

  private constructor(known: Known, path: string, series: TimeSeries) {
    this.#known = known;
    this.#path = path;
    this.#series = series;
    this.#minute = stepOf(known.now(), MINUTE_MS);
  }

  /**
   * Opens the history file in a folder. Faulty lines are skipped, so that they do not prevent the start of the
   * master.
   */
  static async open(known: Known, folder: string): Promise<Recorder> {
    const path = join(folder, 'history.jsonl');
    const { series, faulty } = fromText(await readSmall(path));
    if (faulty > 0) known.log.warn({ path, faulty }, 'some of the history could not be read');
    return new Recorder(known, path, series);
  }

  /** Takes a sample now, and every ten seconds until {@link Recorder.close}. */
  start(): void {
    this.sample();
    this.#timer = setInterval(() => this.sample(), SAMPLE_MS);
    this.#timer.unref();
  }

  /**
   * Takes one sample and counts the costs. If a new minute has begun since the last sample, also starts writing the
   * history. A failed write is only logged.
   */
  sample(): void {
    const { now, topics } = this.#known;
    const at = now();
    const minute = stepOf(at, MINUTE_MS);
    const seen = observeNetwork(this.#known);
    // While the state is unknown, the chart gets a gap instead of a zero.
    if (seen !== null) this.#series = addSample(this.#series, seen, at);
    this.#countCosts();
    if (minute === this.#minute) return;
    this.#minute = minute;
    topics.publish('history');
    this.#write();
  }

  /** Returns a range of the history up to now. */
  history(range: HistoryRange): History {
    return toHistory(this.#series, range, this.#known.now());
  }

  /** Returns the current costs, and whether nodes can be ordered or cloud nodes exist. */
  costs(): Costs {
    const { registry, costs } = this.#known;
    return {
      ...costs.view(cloudNodes(this.#known)),
      canRent: registry.market() !== null || registry.nodes().some(({ rental }) => rental !== null),
    };
  }

  /** Takes a last sample. Resolves when all data is written to disk, or when the write has failed. */
  async close(): Promise<void> {
    if (this.#timer !== null) clearInterval(this.#timer);
    this.sample();
    this.#write();
    await this.#writing;
  }

  #countCosts(): void {
    const { costs, registry } = this.#known;
    // As long as not all nodes are known, a missing node may still exist. All its hours would be counted again later.
    if (registry.listed()) costs.count(paidNodes(this.#known));
    // Also repeats a write that failed earlier.
    if (costs.isUnsaved) this.#after(() => costs.save());
  }

  #write(): void {
    this.#after(() => writeDurably(this.#path, toText(this.#series)));
  }

  /** Runs writes one after the other. Data that could not be written stays in memory; the next write includes it. */
  #after(write: () => Promise<void>): void {
    this.#writing = this.#writing.then(write).then(
      () => {
        this.#failing = false;
      },
      (thrown: unknown) => {
        const level = this.#failing ? 'debug' : 'warn';
        this.#failing = true;
        this.#known.log[level]({ err: toOverworldError(thrown) }, 'the history could not be written');
      },
    );
  }
}

/**
 * Reads one of the recorder's files as text. Returns an empty string if there is none, or if it is too large to be
 * valid.
 */
async function readSmall(path: string): Promise<string> {
  try {
    const file = await open(path, 'r');
    try {
      const { size } = await file.stat();
      return size > MAX_TIME_SERIES_BYTES ? '' : await file.readFile('utf8');
    } finally {
      await file.close();
    }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return '';
    throw error;
  }
}
