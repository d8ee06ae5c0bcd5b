import type { OverworldError } from '#shared/errors/overworld-error.ts';
import type { Params } from '#shared/rpc/contract.ts';
import { call } from '../../bridge/bridge.ts';
import { compareForesights, type Consequence } from '../../view/foresight.ts';
import { Refresher } from '../refresher.ts';

/** Pause in typing before the master is asked (ms). */
const QUIET_MS = 350;
/** Maximum time between two requests while the network keeps changing (ms). */
const CAP_MS = 3000;

/** Preview of an edited document: the forecast with the edit minus the forecast without it. */
export class Foreseen {
  /** Null while there is nothing to preview, and until the first answer. */
  value = $state.raw<Consequence | null>(null);
  /** Whether the master cannot make a forecast yet, for example right after its start. */
  unknown = $state(false);
  /** Whether `value` belongs to an older edit or has not arrived yet. */
  pending = $state(false);
  error = $state.raw<OverworldError | null>(null);
  readonly #toEdit: (config: unknown) => Params<'plan.preview'>;
  #config: unknown = null;
  readonly #refresher = new Refresher<Consequence | null>({
    fetch: () => this.#foresee(),
    apply: (answer) => {
      this.value = answer;
      this.unknown = answer === null;
    },
    onstate: ({ loading, error }) => {
      if (loading) return;
      this.pending = false;
      this.error = error;
    },
    pace: () => ({ quietMs: QUIET_MS, capMs: CAP_MS }),
  });

  /** @param toEdit wraps content with the document it belongs to */
  constructor(toEdit: (config: unknown) => Params<'plan.preview'>) {
    this.#toEdit = toEdit;
  }

  /**
   * Requests a preview of the draft's content. Null if it equals the saved one or cannot be saved. Answers to
   * earlier requests are dropped.
   */
  readonly ask = (config: unknown): void => {
    this.#config = config;
    this.#refresher.reset();
    this.error = null;
    this.pending = config !== null;
    this.unknown = false;
    if (config === null) this.value = null;
    else this.#refresher.stale();
  };

  /** Requests the preview again because the network has changed. */
  readonly stale = (): void => {
    if (this.#config !== null) this.#refresher.stale();
  };

  readonly retry = (): Promise<void> => this.#refresher.refresh();

  /** @returns a function that stops everything */
  readonly connect = (): (() => void) => this.#refresher.connect();

  async #foresee(): Promise<Consequence | null> {
    const [edited, asIs] = await Promise.all([
      call('plan.preview', this.#toEdit(this.#config)),
      call('plan.preview', {}),
    ]);
    return edited === null || asIs === null ? null : compareForesights(edited, asIs);
  }
}
