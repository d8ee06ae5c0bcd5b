import type { OverworldError } from '#shared/errors/overworld-error.ts';
import type { Params } from '#shared/rpc/contract.ts';
import { call } from '../../bridge/bridge.ts';
import { comparePreviews, type Consequence } from '../../view/plan-preview.ts';
import { Refresher } from '../refresher.ts';

/** Time without a further change of the document before a preview is requested (ms). */
const QUIET_MS = 350;
/** Maximum delay of a request while the network keeps changing (ms). */
const CAP_MS = 3000;

/**
 * Preview of the effects of an edit. By default, it consists of the differences between the forecasts with and
 * without the edit.
 */
export class DraftPreview<T = Consequence> {
  /** The preview. Null without an edit, until the first response, and while `unknown` is true. */
  value = $state.raw<T | null>(null);
  /** Whether the master cannot make a forecast yet, for example right after its start. */
  unknown = $state(false);
  /** Whether the preview of the latest edit has not arrived yet. `value` may then belong to an older edit. */
  pending = $state(false);
  error = $state.raw<OverworldError | null>(null);
  readonly #request: (config: unknown) => Promise<T | null>;
  #config: unknown = null;
  readonly #refresher = new Refresher<T | null>({
    fetch: () => this.#request(this.#config),
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

  /**
   * Creates a preview that requests nothing yet.
   *
   * @param request requests the preview of an edited document; returns null if the master cannot make a forecast yet
   */
  constructor(request: (config: unknown) => Promise<T | null>) {
    this.#request = request;
  }

  /**
   * Requests a preview of the draft's content. Drops responses to earlier requests.
   *
   * @param config null if the content equals the saved one or cannot be saved; there is no preview then
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

  /** Requests the preview again after a change of the network. Does nothing without an edit. */
  readonly stale = (): void => {
    if (this.#config !== null) this.#refresher.stale();
  };

  readonly retry = (): Promise<void> => this.#refresher.refresh();

  /**
   * Keeps the preview up to date while a screen shows it.
   *
   * @returns a function that stops the updates
   */
  readonly connect = (): (() => void) => this.#refresher.connect();
}

/** Requests the consequences of an edit. Returns null if the master cannot make a forecast yet. */
export async function previewConsequence(edit: Params<'plan.preview'>): Promise<Consequence | null> {
  const [edited, asIs] = await Promise.all([call('plan.preview', edit), call('plan.preview', {})]);
  return edited === null || asIs === null ? null : comparePreviews(edited, asIs);
}
