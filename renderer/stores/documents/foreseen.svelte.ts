import type { OverworldError } from '#shared/errors/overworld-error.ts';
import type { Params } from '#shared/rpc/contract.ts';
import { call } from '../../bridge/bridge.ts';
import { compareForesights, type Consequence } from '../../view/foresight.ts';
import { Refresher } from '../refresher.ts';

/** A pause in typing before the master is asked, ms. */
const QUIET_MS = 350;
/** The network never rests: no more often than this, ms. */
const CAP_MS = 3000;

/** What a document being edited would bring about: the foresight with the edit, less the one without it. */
export class Foreseen {
  /** Null while there is nothing to foresee, and until the first answer. */
  value = $state.raw<Consequence | null>(null);
  /** The master cannot foresee anything yet, as right after its start. */
  unknown = $state(false);
  /** `value` is of an older edit, or not there yet. */
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

  /** @param toEdit names the document that a content belongs to */
  constructor(toEdit: (config: unknown) => Params<'plan.preview'>) {
    this.#toEdit = toEdit;
  }

  /** The draft says this now; null when it is the saved one, or cannot be saved. Answers to earlier ones are dropped. */
  readonly ask = (config: unknown): void => {
    this.#config = config;
    this.#refresher.reset();
    this.error = null;
    this.pending = config !== null;
    this.unknown = false;
    if (config === null) this.value = null;
    else this.#refresher.stale();
  };

  /** The world has changed. */
  readonly stale = (): void => {
    if (this.#config !== null) this.#refresher.stale();
  };

  readonly retry = (): Promise<void> => this.#refresher.refresh();

  /** @returns stops everything */
  readonly connect = (): (() => void) => this.#refresher.connect();

  async #foresee(): Promise<Consequence | null> {
    const [edited, asIs] = await Promise.all([
      call('plan.preview', this.#toEdit(this.#config)),
      call('plan.preview', {}),
    ]);
    return edited === null || asIs === null ? null : compareForesights(edited, asIs);
  }
}
