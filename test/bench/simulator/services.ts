import type { ServiceId } from '#shared/model/service.ts';
import { serviceRamMb } from '#shared/config/template.ts';
import type { Agenda } from './agenda.ts';
import { ForbiddenAction, type SimNode, type SimService } from './entities.ts';
import type { NetworkModel } from './network.ts';
import type { Players } from './players.ts';
import { Random } from './random.ts';

/** Simulates services from their request until they have stopped or crashed. */
export class Services {
  readonly #agenda: Agenda;
  readonly #network: NetworkModel;
  readonly #players: Players;
  readonly #seed: number;
  readonly #byId = new Map<ServiceId, SimService>();
  readonly #numbers = new Map<string, number>();
  readonly counts = { starts: 0, stops: 0, withdrawn: 0, crashes: 0, thrownOut: 0, stoppedInUse: 0 };

  constructor({ agenda, network, players, seed }: ServicesParts) {
    this.#agenda = agenda;
    this.#network = network;
    this.#players = players;
    this.#seed = seed;
  }

  all(): Iterable<SimService> {
    return this.#byId.values();
  }

  /** Returns the number of a template's next service. */
  nextNumber(template: string): number {
    return this.#numbers.get(template) ?? 1;
  }

  request(id: ServiceId, template: string): void {
    const model = this.#network.templates.find((one) => one.id === template);
    const number = this.nextNumber(template);
    if (model === undefined || id !== `${template}-${number}`) throw new ForbiddenAction(`request ${id}`);
    this.#numbers.set(template, number + 1);
    this.#byId.set(id, {
      id,
      model,
      ramMb: serviceRamMb(model.config),
      requestedAt: this.#agenda.now,
      players: new Set(),
      state: 'REQUESTED',
      node: null,
      unusedSince: null,
      upSince: null,
      stopping: false,
      unresponsive: false,
      gone: false,
      seen: null,
    });
  }

  /**
   * Starts a service on a node.
   *
   * @throws ForbiddenAction if the node accepts no services or has too little free RAM
   */
  start(id: ServiceId, node: SimNode): void {
    const service = this.#existing(id);
    if (service.state !== 'REQUESTED' || service.stopping) throw new ForbiddenAction(`start ${id} twice`);
    if (node.state !== 'READY')
      throw new ForbiddenAction(`start ${id} on ${node.id}, which is ${node.state}`);
    if (node.allocatedMb + service.ramMb > node.type.ramMb) {
      throw new ForbiddenAction(
        `start ${id} on ${node.id}: ${node.allocatedMb} of ${node.type.ramMb} MB taken`,
      );
    }
    const random = new Random(this.#seed, `service/${id}`);
    this.counts.starts += 1;
    service.node = node;
    node.services.add(service);
    node.allocatedMb += service.ramMb;
    this.#enter(service, 'PREPARING');
    this.#later(service, random.uniform(this.#network.prepareMs.from, this.#network.prepareMs.to), () => {
      this.#enter(service, 'STARTING');
      this.#later(service, random.uniform(service.model.bootMs.from, service.model.bootMs.to), () => {
        this.#run(service, random);
      });
    });
  }

  stop(id: ServiceId): void {
    const service = this.#existing(id);
    if (service.stopping) return;
    if (service.node === null) {
      this.counts.withdrawn += 1;
      this.#remove(service);
      return;
    }
    this.counts.stops += 1;
    if (service.players.size > 0) this.counts.stoppedInUse += 1;
    service.stopping = true;
    service.seen = null;
    this.counts.thrownOut += this.#players.close(service);
    this.#agenda.enterIn(this.#network.stopMs, () => this.#remove(service));
  }

  /**
   * Makes a service unreachable because its node has stopped answering. Players can no longer play on the service,
   * but the master does not know this yet.
   */
  silence(service: SimService): void {
    service.unresponsive = true;
    service.seen = null;
    this.counts.thrownOut += this.#players.close(service);
  }

  /** Removes a service because its node is being deleted. */
  loseWithNode(service: SimService): void {
    this.#remove(service);
  }

  #run(service: SimService, random: Random): void {
    this.#enter(service, 'RUNNING');
    service.unusedSince = this.#agenda.now;
    service.upSince = this.#agenda.now;
    this.#players.open(service);
    if (this.#network.serviceLifeMs === null) return;
    this.#later(service, random.exponential(this.#network.serviceLifeMs), () => {
      this.counts.crashes += 1;
      this.counts.thrownOut += this.#players.close(service);
      this.#remove(service);
    });
  }

  /**
   * Runs an event later. Skips the event if, at that time, the service has exited, is being stopped or cannot be
   * reached.
   */
  #later(service: SimService, ms: number, run: () => void): void {
    this.#agenda.enterIn(ms, () => {
      const isDead = service.gone || service.stopping || service.node?.silent === true;
      if (!isDead) run();
    });
  }

  #enter(service: SimService, state: SimService['state']): void {
    service.state = state;
    service.seen = null;
  }

  #remove(service: SimService): void {
    if (service.gone) return;
    service.gone = true;
    this.#byId.delete(service.id);
    if (service.node === null) return;
    service.node.services.delete(service);
    service.node.allocatedMb -= service.ramMb;
  }

  #existing(id: ServiceId): SimService {
    const service = this.#byId.get(id);
    if (service === undefined) throw new ForbiddenAction(`there is no service ${id}`);
    return service;
  }
}

interface ServicesParts {
  readonly agenda: Agenda;
  readonly network: NetworkModel;
  readonly players: Players;
  readonly seed: number;
}
