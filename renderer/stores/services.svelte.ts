import type { OverworldError } from '#shared/errors/overworld-error.ts';
import { isUp, type Service, type ServiceId } from '#shared/model/service.ts';
import type { Result } from '#shared/rpc/contract.ts';
import { call } from '../bridge/bridge.ts';
import { countByState } from '../view/service/service.ts';
import { Refresher } from './refresher.ts';
import { indexOfService, mergeServices } from './service-delta.ts';

type Answer = Result<'services.list'>;

/** All services, kept up to date by deltas, so that one change does not transfer 5,000 rows. */
class Services {
  #known = $state.raw<readonly Service[] | null>(null);
  /** Ordered by template, then number. */
  readonly list: readonly Service[] = $derived(this.#known ?? []);
  /** Number of services per displayed state. Several parts of the window use it, so 5,000 services are counted once. */
  readonly counts = $derived(countByState(this.list));
  /** Number of services that players can join. */
  readonly up: number = $derived(this.list.filter(isUp).length);
  /** Players on all services and the limit `max_online_players`. The count is null while it is not known yet. */
  network = $state.raw<Answer['network']>({ players: null, limit: 0 });
  readonly loaded: boolean = $derived(this.#known !== null);
  loading = $state(false);
  error = $state.raw<OverworldError | null>(null);
  /** When the list was last read, ms since epoch. */
  readAt = $state<number | null>(null);
  /** Last revision of the master's current run. Null: request everything. */
  #revision: number | null = null;

  readonly refresher = new Refresher<Answer>({
    fetch: () => call('services.list', this.#revision === null ? {} : { since: this.#revision }),
    apply: (answer) => this.#apply(answer),
    onstate: ({ loading, error }) => {
      this.loading = loading;
      if (!loading) this.error = error;
    },
  });

  readonly get = (id: ServiceId): Service | undefined => this.list[indexOfService(this.list, id)];

  readonly refresh = (): Promise<void> => this.refresher.refresh();

  /** Prepares for another connection. Revisions stay valid only for the same run of the master. */
  readonly reset = (sameRun: boolean): void => {
    if (!sameRun) this.#revision = null;
    this.refresher.reset();
  };

  #apply(answer: Answer): void {
    this.#revision = answer.revision;
    this.readAt = Date.now();
    this.network = answer.network;
    if (answer.complete || answer.services.length > 0 || answer.removed.length > 0) {
      this.#known = mergeServices(this.#known, answer);
    }
  }
}

export const services = new Services();
