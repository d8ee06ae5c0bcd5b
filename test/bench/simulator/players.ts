import type { Agenda } from './agenda.ts';
import type { Player, SimService } from './entities.ts';
import { LoadBalancer } from './load-balancer.ts';
import type { NetworkModel } from './network.ts';
import type { Random } from './random.ts';
import type { Arrival } from './trace.ts';
import type { WaitBook } from './wait-book.ts';

/**
 * Simulates players: puts them on services, lets them wait if there is no room, and removes them when they leave.
 * Players change their service only if it is closed.
 */
export class Players {
  readonly #agenda: Agenda;
  readonly #network: NetworkModel;
  readonly #random: Random;
  readonly #waits: WaitBook;
  /** Services that can be joined, per template, in the order in which they started. */
  readonly #services: readonly Set<SimService>[];
  /** Waiting players per template, in the order in which they started to wait. */
  readonly #queues: readonly Set<Player>[];
  readonly #balancer = new LoadBalancer();
  #online = 0;

  constructor({ agenda, network, random, waits }: PlayersParts) {
    this.#agenda = agenda;
    this.#network = network;
    this.#random = random;
    this.#waits = waits;
    this.#services = network.templates.map(() => new Set());
    this.#queues = network.templates.map(() => new Set());
  }

  get online(): number {
    return this.#online;
  }

  get waiting(): number {
    return this.#queues.reduce((sum, queue) => sum + queue.size, 0);
  }

  /** Returns all players who are still waiting. */
  *waitingPlayers(): Iterable<Player> {
    for (const queue of this.#queues) yield* queue;
  }

  arrive({ template, stayMs, bot }: Arrival): void {
    this.#waits.arrived(bot);
    this.#join({ template, bot, stayMs, waitsSince: null, service: null, leavesAt: 0 });
  }

  /** Opens a service for players. Players who already wait join first. */
  open(service: SimService): void {
    this.#of(this.#services, service).add(service);
    this.#fill(service);
  }

  /**
   * Closes a service for players. Its players are disconnected, and immediately try to join another service for the
   * rest of their stay.
   *
   * @returns the number of disconnected players
   */
  close(service: SimService): number {
    this.#of(this.#services, service).delete(service);
    const thrownOut = [...service.players];
    for (const player of thrownOut) {
      player.stayMs = player.leavesAt - this.#agenda.now;
      this.#unseat(player, service);
    }
    for (const player of thrownOut) {
      this.#waits.rejoined(player.bot);
      this.#join(player);
    }
    return thrownOut.length;
  }

  #join(player: Player): void {
    const service = this.#choose(player.template);
    if (service !== undefined) {
      this.#seat(player, service);
      return;
    }
    player.waitsSince = this.#agenda.now;
    this.#queue(player).add(player);
    const patience = this.#network.patienceMs;
    if (patience !== null) {
      this.#agenda.enterIn(this.#random.exponential(patience), () => this.#giveUp(player, player.waitsSince));
    }
  }

  /**
   * Returns the best service that has room. Returns a service on a draining node only if no other service has room.
   */
  #choose(template: number): SimService | undefined {
    if (this.#network.joining === 'load-balancer') return this.#chooseProxy(template);
    let best: SimService | undefined;
    for (const service of this.#services[template] ?? []) {
      if (service.players.size >= service.model.config.maxPlayers) continue;
      if (best === undefined || this.#isBetter(service, best)) best = service;
    }
    return best;
  }

  #chooseProxy(template: number): SimService | undefined {
    const proxies = [...(this.#services[template] ?? [])];
    const staying = proxies.filter((proxy) => !isLeaving(proxy));
    return this.#balancer.choose(staying.length > 0 ? staying : proxies);
  }

  #isBetter(one: SimService, other: SimService): boolean {
    if (isLeaving(one) !== isLeaving(other)) return isLeaving(other);
    const more = one.players.size - other.players.size;
    if (more !== 0) return this.#network.joining === 'fullest' ? more > 0 : more < 0;
    // Packed allocation: prefer the node with the most services in use, then the oldest service.
    return (one.node?.inUse ?? 0) > (other.node?.inUse ?? 0);
  }

  #seat(player: Player, service: SimService): void {
    const { now } = this.#agenda;
    if (player.waitsSince !== null) this.#waits.waited(now - player.waitsSince, player.bot);
    player.waitsSince = null;
    player.service = service;
    player.leavesAt = now + player.stayMs;
    if (service.players.size === 0) {
      service.state = 'IN_USE';
      service.unusedSince = null;
      if (service.node !== null) service.node.inUse += 1;
    }
    service.players.add(player);
    service.seen = null;
    this.#online += 1;
    const { leavesAt } = player;
    this.#agenda.enter(leavesAt, () => {
      // If the player was disconnected since then, and has joined another service, another event removes the player.
      if (player.service === service && player.leavesAt === leavesAt) this.#leave(player, service);
    });
  }

  #leave(player: Player, service: SimService): void {
    this.#unseat(player, service);
    this.#waits.left();
    this.#fill(service);
  }

  #unseat(player: Player, service: SimService): void {
    service.players.delete(player);
    player.service = null;
    service.seen = null;
    this.#online -= 1;
    if (service.players.size > 0) return;
    service.state = 'RUNNING';
    service.unusedSince = this.#agenda.now;
    if (service.node !== null) service.node.inUse -= 1;
  }

  /** Lets waiting players join while there is room. Players who have waited longest join first. */
  #fill(service: SimService): void {
    const queue = this.#of(this.#queues, service);
    for (const player of queue) {
      if (service.players.size >= service.model.config.maxPlayers) return;
      queue.delete(player);
      this.#seat(player, service);
    }
  }

  #giveUp(player: Player, since: number | null): void {
    if (player.waitsSince === null || player.waitsSince !== since) return;
    this.#queue(player).delete(player);
    this.#waits.gaveUp(this.#agenda.now - player.waitsSince, player.bot);
  }

  #queue(player: Player): Set<Player> {
    const queue = this.#queues[player.template];
    if (queue === undefined) throw new RangeError(`there is no template ${player.template}`);
    return queue;
  }

  #of<T>(lists: readonly T[], service: SimService): T {
    const list = lists[this.#network.templates.indexOf(service.model)];
    if (list === undefined) throw new RangeError(`${service.id} is of no template of this network`);
    return list;
  }
}

interface PlayersParts {
  readonly agenda: Agenda;
  readonly network: NetworkModel;
  readonly random: Random;
  readonly waits: WaitBook;
}

/** Returns whether a service is on a draining node. */
export function isLeaving({ node }: Pick<SimService, 'node'>): boolean {
  return node?.state === 'DRAINING';
}
