import type { OverworldError } from '#shared/errors/overworld-error.ts';
import type { OrderPreview } from '#shared/model/provider.ts';
import { call } from '../../bridge/bridge.ts';
import { Refresher } from '../refresher.ts';

/** Time without a further change of the configuration before a preview is requested (ms). */
const QUIET_MS = 350;
/** Maximum delay of a request while the network keeps changing (ms). */
const CAP_MS = 3000;

/** Preview of the nodes that a configuration would order now if configure mode were off. */
export class ForeseenOrders {
  /** Null until the first response, and while `unknown` is true. */
  value = $state.raw<OrderPreview | null>(null);
  /** Whether the master cannot tell yet, for example right after its start. */
  unknown = $state(false);
  error = $state.raw<OverworldError | null>(null);
  #config: unknown = null;
  readonly #refresher = new Refresher<OrderPreview | null>({
    fetch: async () => (this.#config === null ? null : call('provider.preview', { master: this.#config })),
    apply: (answer) => {
      this.value = answer;
      this.unknown = answer === null && this.#config !== null;
    },
    onstate: ({ loading, error }) => {
      if (!loading) this.error = error;
    },
    pace: () => ({ quietMs: QUIET_MS, capMs: CAP_MS }),
  });

  /** Requests the preview of a master configuration. Null if it cannot be previewed. */
  readonly ask = (config: unknown): void => {
    this.#config = config;
    this.#refresher.reset();
    this.error = null;
    if (config === null) this.value = null;
    else this.#refresher.stale();
  };

  /** Requests the preview again after a change of the network. */
  readonly stale = (): void => {
    if (this.#config !== null) this.#refresher.stale();
  };

  /**
   * Keeps the preview up to date while a screen shows it.
   *
   * @returns a function that stops the updates
   */
  readonly connect = (): (() => void) => this.#refresher.connect();
}
