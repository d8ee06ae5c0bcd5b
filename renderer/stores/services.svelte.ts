import type { OverworldError } from '#shared/errors/overworld-error.ts';
import { isUp, type Service, type ServiceId } from '#shared/model/service.ts';
import type { Result } from '#shared/rpc/contract.ts';
import { call } from '../bridge/bridge.ts';
import { countByState } from '../view/service/service.ts';
import { Refresher } from './refresher.ts';
import { indexOfService, mergeServices } from './service-delta.ts';

type Answer = Result<'services.list'>;

/** All services. A request asks only for changes, so that a change of one service does not transfer 5,000 rows. */
class Services {
  #known = $state.raw<readonly Service[] | null>(null);
  /** All services, sorted by template and then by number. */
  readonly list: readonly Service[] = $derived(this.#known ?? []);
  /** Number of services in each displayed state, counted once for all parts of the window. */
  readonly counts = $derived(countByState(this.list));
  /** Number of services that players can join. */
  readonly up: number = $derived(this.list.filter(isUp).length);
  /** Number of players on the network (null until the master knows it), and their limit `max_online_players`. */
  network = $state.raw<Answer['network']>({ players: null, limit: 0 });
  readonly loaded: boolean = $derived(this.#known !== null);
  loading = $state(false);
  error = $state.raw<OverworldError | null>(null);
  /** When the list was last read (ms since epoch). Null before the first read. */
  readAt = $state<number | null>(null);
  /** Revision of the list in the master's current run. Null: the next request asks for all services. */
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

  /**
   * Prepares for a new connection. If the master's process is not the same as before, the next request asks for all
   * services.
   */
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
