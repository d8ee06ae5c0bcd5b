import type { AuthorizedKey } from '#shared/model/access/role.ts';
import { limitWords } from '#shared/model/access/template-limit.ts';
import { networkOf } from '#shared/node/address-gate.ts';
import type { EntryContent } from '#shared/model/access/security-entry.ts';
import type { AuthenticatedClient } from './rpc/serve-rpc.ts';

/**
 * Time after an event for which equal events are only counted (ms). When it has passed, the number of these events is
 * written.
 */
export const COUNTED_MS = 3_600_000;
/**
 * Maximum number of networks for which the refused logins of clients without a key are counted separately. Those from
 * all other networks are counted together.
 */
const MAX_STRANGERS = 64;
/** Maximum number of networks that are counted separately for one key. */
const MAX_NETWORKS_OF_KEY = 16;

/** Actor of entries about clients without an authorized key. */
export const UNKNOWN_CLIENT = 'unknown';

/** Receives the entries. In the master, the security log is the receiver. */
interface EntrySink {
  add(entry: EntryContent): void;
}

interface Counted {
  readonly entry: EntryContent;
  readonly timer: NodeJS.Timeout;
  /** Number of equal events after the first one. */
  more: number;
}

/**
 * Writes logins and refusals to the security log. The first event of a kind and network is written at once. Equal
 * events in the following hour are counted, and then written as one entry. So no client can fill the log: clients
 * without an authorized key cause at most 130 entries an hour.
 */
export class AccessEvents {
  readonly #log: EntrySink;
  /**
   * Events that were written in the last hour, by key and then by network. All clients without an authorized key have
   * one entry together. Further events that equal one of these events are only counted.
   */
  readonly #counted = new Map<string, Map<string, Counted>>();

  constructor(log: EntrySink) {
    this.#log = log;
  }

  /** Records that a key has logged in over SSH. */
  loggedIn({ name, role, fingerprint }: AuthorizedKey, address: string | undefined): void {
    const entry = {
      kind: 'login.accepted',
      actor: name,
      message: `${name} logged in as ${role}`,
      cause: fingerprint,
    };
    this.#add({ entry, address, who: `login ${fingerprint} ${role}`, max: MAX_NETWORKS_OF_KEY });
  }

  /** Records that a client without an authorized key has disconnected or was disconnected. */
  refused(address: string | undefined, cause: string): void {
    const entry = { kind: 'login.refused', actor: UNKNOWN_CLIENT, message: 'A login was refused', cause };
    this.#add({ entry, address, who: 'strangers', max: MAX_STRANGERS });
  }

  /** Records that a person was refused a call, because the rights of their key do not suffice. */
  forbidden({ name, role, templates }: AuthenticatedClient, method: string): void {
    const message = `${name} was refused ${method}`;
    const limit = templates === null ? '' : `, only for ${limitWords(templates)}`;
    const entry = { kind: 'request.refused', actor: name, message, cause: `the role is ${role}${limit}` };
    this.#add({ entry, address: undefined, who: `forbidden ${name}`, max: 1 });
  }

  /** Writes the numbers of all events that were counted so far, without waiting for the end of their hour. */
  flush(): void {
    for (const [who, networks] of this.#counted)
      for (const network of [...networks.keys()]) this.#write(who, network);
  }

  #add(event: { entry: EntryContent; address: string | undefined; who: string; max: number }): void {
    const { entry, address, who, max } = event;
    const networks = this.#counted.get(who) ?? new Map<string, Counted>();
    this.#counted.set(who, networks);
    const own = networkOf(address ?? '');
    const network = networks.has(own) || networks.size < max ? own : 'others';
    const known = networks.get(network);
    if (known !== undefined) {
      known.more += 1;
      return;
    }
    this.#log.add(address === undefined ? entry : { ...entry, address });
    const timer = setTimeout(() => this.#write(who, network), COUNTED_MS);
    timer.unref();
    const kept = network === 'others' || address === undefined ? entry : { ...entry, address };
    networks.set(network, { entry: kept, timer, more: 0 });
  }

  #write(who: string, network: string): void {
    const networks = this.#counted.get(who);
    const counted = networks?.get(network);
    if (networks === undefined || counted === undefined) return;
    clearTimeout(counted.timer);
    networks.delete(network);
    if (networks.size === 0) this.#counted.delete(who);
    const { entry, more } = counted;
    if (more === 0) return;
    const from = network === 'others' ? ' from further addresses' : '';
    const message = `${entry.message}, and ${more} more ${more === 1 ? 'time' : 'times'}${from} within an hour`;
    this.#log.add({ ...entry, message, count: more });
  }
}
