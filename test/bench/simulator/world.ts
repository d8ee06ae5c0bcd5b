import { masterConfigSchema } from '#shared/config/master.ts';
import type { Plan } from '#master/core/action.ts';
import {
  MIN_READY_MS,
  type ServiceSnapshot,
  type Snapshot,
  type TemplateSnapshot,
} from '#master/core/snapshot/snapshot.ts';
import { Agenda } from './agenda.ts';
import type { SimNode, SimService } from './entities.ts';
import type { NetworkModel } from './network.ts';
import { Nodes, type StockOut } from './nodes.ts';
import { Players } from './players.ts';
import { Random } from './random.ts';
import { Services } from './services.ts';
import { WaitBook } from './wait-book.ts';

export interface WorldOptions {
  readonly network: NetworkModel;
  readonly seed: number;
  readonly start: number;
  /** Value of `provider.upscaling_at_percent_capacity`. */
  readonly upscalingAtPercent: number;
  /** Value of `max_online_players`. */
  readonly maxOnlinePlayers: number;
  readonly stockOuts: readonly StockOut[];
}

/**
 * The whole network on one virtual clock. Returns the snapshots that a policy observes, and simulates the effects of
 * its actions.
 */
export class World {
  readonly agenda: Agenda;
  readonly waits = new WaitBook();
  readonly players: Players;
  readonly services: Services;
  readonly nodes: Nodes;
  readonly #options: WorldOptions;

  constructor(options: WorldOptions) {
    const { network, seed, start, stockOuts } = options;
    this.#options = options;
    this.agenda = new Agenda(start);
    const { agenda, waits } = this;
    this.players = new Players({ agenda, network, random: new Random(seed, 'patience'), waits });
    const { players } = this;
    this.services = new Services({ agenda, network, players, seed });
    this.nodes = new Nodes({ agenda, network, services: this.services, seed, stockOuts });
  }

  /** Returns a snapshot of the network, with exactly the data that the master's control loop would have. */
  observe(): Snapshot {
    const { network, upscalingAtPercent, maxOnlinePlayers } = this.#options;
    return {
      now: Math.floor(this.agenda.now),
      templates: network.templates.map((model) => this.#seeTemplate(model)),
      services: [...this.services.all()].map((service) => (service.seen ??= seeService(service))),
      nodes: [...this.nodes.all()].map((node) => seeNode(node, network.startBudget)),
      volumes: [],
      maxOnlinePlayers,
      playersOnProxies: null,
      awaitsReports: false,
      configureMode: false,
      upscalingAtPercent,
      limits: masterConfigSchema.parse({}).limits,
      month: { spent: 0, endsAt: Infinity },
      market: {
        offers: network.nodeTypes.map(({ type, ramMb, hourlyPrice }) => ({
          type,
          location: LOCATION,
          ramMb,
          hourlyPrice,
          deprecated: false,
          soldOutUntil: this.nodes.soldOutUntil(type),
        })),
        locations: [LOCATION],
        serverType: '',
        blockedServers: [],
        paused: null,
        nextNumber: this.nodes.nextNumber,
      },
    };
  }

  /**
   * Executes a plan.
   *
   * @throws ForbiddenAction for impossible actions, such as a stop of a service in use, too many services on a node
   *   or a repeated action
   */
  carryOut({ actions }: Pick<Plan, 'actions'>): void {
    for (const action of actions) {
      switch (action.kind) {
        case 'request':
          this.services.request(action.service, action.template);
          break;
        case 'start':
          this.services.start(action.service, this.nodes.existing(action.node));
          break;
        case 'stop':
          this.services.stop(action.service);
          break;
        case 'order':
          this.nodes.order(action);
          break;
        case 'drain':
          this.nodes.drain(action.node);
          break;
        case 'resume':
          this.nodes.resume(action.node);
          break;
        case 'release':
          this.nodes.release(action.node);
          break;
      }
    }
  }

  #seeTemplate({ id, config }: NetworkModel['templates'][number]): TemplateSnapshot {
    return {
      id,
      config,
      revision: 'r1',
      changing: false,
      hasJar: true,
      bringsJava: false,
      problem: null,
      nextNumber: this.services.nextNumber(id),
      held: false,
      leaving: false,
      retryAt: null,
    };
  }
}

const LOCATION = 'nbg1';

function seeService(service: SimService): ServiceSnapshot {
  const {
    id,
    model,
    state,
    node,
    ramMb,
    requestedAt,
    unusedSince,
    upSince,
    unresponsive,
    stopping,
    players,
  } = service;
  return {
    id,
    template: model.id,
    state,
    node: node?.id ?? null,
    ramMb,
    requestedAt: Math.floor(requestedAt),
    unusedSince: unusedSince === null ? null : Math.floor(unusedSince),
    availableAt: upSince === null ? null : Math.floor(upSince) + MIN_READY_MS,
    unresponsive,
    stopping,
    players: players.size,
    maxPlayers: model.config.maxPlayers,
    manual: false,
    held: false,
    retiring: false,
    draining: false,
    restarting: false,
  };
}

function seeNode(node: SimNode, startBudget: number): Snapshot['nodes'][number] {
  const { id, state, drainedByRules, type, orderedAt } = node;
  return {
    id,
    state,
    drainedByRules,
    held: false,
    locked: false,
    leaving: false,
    rental: { type: type.type, since: Math.floor(orderedAt), hourlyPrice: type.hourlyPrice },
    ramMb: type.ramMb,
    startBudget,
    silent: false,
    hasJava: true,
    startBackoffs: [],
    unsaved: [],
  };
}
