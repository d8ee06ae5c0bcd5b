import type { OverworldError } from '#shared/errors/overworld-error.ts';
import { isUp, type Service, type ServiceId } from '#shared/model/service.ts';
import type { Result } from '#shared/rpc/contract.ts';
import { call } from '../bridge/bridge.ts';
import { countByState } from '../view/service/service.ts';
import { Refresher } from './refresher.ts';
import { indexOfService, mergeServices } from './service-delta.ts';

type Answer = Result<'services.list'>;

/** All services, kept fresh by deltas: 5,000 rows do not travel again for one that changed. */
class Services {
  #known = $state.raw<readonly Service[] | null>(null);
  /** By template, then number. */
  readonly list: readonly Service[] = $derived(this.#known ?? []);
  /** Services in each shown state. Several parts of the window tell these: 5,000 are counted once. */
  readonly counts = $derived(countByState(this.list));
  /** Services that can be joined. */
  readonly up: number = $derived(this.list.filter(isUp).length);
  /** Players on all services against `max_online_players`; null while they are not known yet. */
  network = $state.raw<Answer['network']>({ players: null, limit: 0 });
  readonly loaded: boolean = $derived(this.#known !== null);
  loading = $state(false);
  error = $state.raw<OverworldError | null>(null);
  /** When the list was last read, ms since epoch. */
  readAt = $state<number | null>(null);
  /** Revision seen of the present run of the master; null: ask for everything. */
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

  /** Another connection. To another run of a master, revisions seen before mean nothing; in the same one they go on. */
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
