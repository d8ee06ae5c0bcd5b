import type { ServiceId } from '#shared/model/service.ts';
import type { ServiceRecord } from './records.ts';

/** What a server said of itself. */
export interface PingAnswer {
  readonly players: { readonly online: number; readonly max: number };
}

/** One status ping; null when it was not answered. Never throws. */
export type Ping = (address: PingAddress) => Promise<PingAnswer | null>;

/** Where a service listens, and how. */
export interface PingAddress {
  readonly host: string;
  readonly port: number;
  /** A PROXY protocol header comes first, as from the load balancer. */
  readonly proxyProtocol: boolean;
}

/** What the last ping of a service brought. */
export interface PingState {
  /** Of the newest ping; null when it was not answered. */
  readonly answer: PingAnswer | null;
  /** Since when none was answered; null while they are. */
  readonly silentSince: number | null;
}

/** A service and where it listens. */
export interface PingTarget extends PingAddress {
  readonly id: ServiceId;
}

/** How a service is pinged; null while nobody knows where it listens. */
export function pingTargetOf({
  id,
  address,
  placed,
}: Pick<ServiceRecord, 'id' | 'address' | 'placed'>): PingTarget | null {
  return address === null ? null : { id, ...address, proxyProtocol: placed?.given.proxyProtocol ?? false };
}

/** Services pinged at the same time; each ping takes a socket and a few ms. */
const PARALLEL = 64;

/** Asks living services who is on them. */
export class Pinger {
  readonly #ping: Ping;
  readonly #now: () => number;
  readonly #states = new Map<ServiceId, PingState>();

  constructor(ping: Ping, now: () => number) {
    this.#ping = ping;
    this.#now = now;
  }

  /** Pings all of these once and forgets all others. Takes as long as the slowest, which the ping's own time-out bounds. */
  async pingAll(targets: readonly PingTarget[]): Promise<void> {
    const ids = new Set(targets.map((target) => target.id));
    for (const id of this.#states.keys()) if (!ids.has(id)) this.#states.delete(id);
    const queue = [...targets];
    const worker = async (): Promise<void> => {
      for (let target = queue.pop(); target !== undefined; target = queue.pop()) {
        await this.pingOne(target);
      }
    };
    await Promise.all(Array.from({ length: Math.min(PARALLEL, targets.length) }, worker));
  }

  /** Pings one service now. @returns true when it answered */
  async pingOne({ id, ...address }: PingTarget): Promise<boolean> {
    const answer = await this.#ping(address);
    const silentSince = answer === null ? (this.#states.get(id)?.silentSince ?? this.#now()) : null;
    this.#states.set(id, { answer, silentSince });
    return answer !== null;
  }

  /** Counts its silence from now on: until now nobody could have heard it. */
  excuse(id: ServiceId): void {
    if (this.#states.get(id)?.answer === null)
      this.#states.set(id, { answer: null, silentSince: this.#now() });
  }

  /** Null when it was not pinged yet. */
  state(id: ServiceId): PingState | null {
    return this.#states.get(id) ?? null;
  }
}
