import type { Chance } from './chance.ts';

/** Service of another node that a hostile node claims to run. */
export interface Claim {
  readonly id: string;
  readonly template: string;
}

const BOOT = 'boot-1';
const UPTIME_S = 1_000;
const MOMENT = { boot: BOOT, uptime: UPTIME_S };
const MOST_LIES = 700;

/** Makes answers of the node tool (master/runtime/systemd/tool) without a node. */
export class NodeAnswers {
  readonly #chance: Chance;
  /** Records of the prepared services, by ID. */
  readonly #records = new Map<string, unknown>();
  readonly #started = new Set<string>();

  constructor(chance: Chance) {
    this.#chance = chance;
  }

  /** Returns the answer of an honest node. The processes of its services run, but listen on no port. */
  to(command: string, request: Readonly<Record<string, unknown>>): object {
    const id = typeof request['id'] === 'string' ? request['id'] : '';
    switch (command) {
      case 'setup':
        return { answer: facts() };
      case 'observe':
        return {
          answer: { ...MOMENT, services: [...this.#records.keys()].map((one) => this.#serviceOf(one)) },
        };
      case 'reserve':
        return { answer: { port: request['firstPort'], known: true } };
      case 'lay_out':
        this.#remember(request['record']);
        return { answer: {} };
      case 'start':
        this.#started.add(id);
        return { answer: { ...MOMENT, service: this.#serviceOf(id) } };
      case 'stop':
        this.#started.delete(id);
        return { answer: { ...MOMENT, service: this.#serviceOf(id), cursor: null } };
      case 'forget':
        this.#records.delete(id);
        return { answer: { removed: true } };
      case 'want':
        return { answer: { missing: [] } };
      case 'refresh_hand_over':
        return { answer: { written: [], failed: [] } };
      default:
        return { answer: {} };
    }
  }

  /** Returns a well-formed answer with false claims, including claims about services of other nodes. */
  lieAbout(command: string, claims: readonly Claim[]): object {
    const lies = claims.flatMap((claim) => this.#falseService(claim));
    const many = Array.from({ length: MOST_LIES }, (_, n) =>
      this.#falseService({ id: `lobby-${n + 1}`, template: 'lobby' }),
    );
    switch (command) {
      case 'observe':
        return { answer: { ...MOMENT, services: this.#chance.pick([lies, [], many, [...lies, ...lies]]) } };
      case 'reserve':
        return {
          answer: { port: this.#chance.pick([22, 2_022, 65_535]), known: this.#chance.pick([true, false]) },
        };
      case 'want':
        return {
          answer: {
            missing: this.#chance.pick([[], [0], [1_000_000], Array.from({ length: 5_000 }, () => 0)]),
          },
        };
      case 'refresh_hand_over':
        return { answer: { written: claims.map(({ id }) => id), failed: [] } };
      case 'setup':
        return { answer: { ...facts(), clock: this.#chance.pick([0, -1, 8_640_000_000_000_001]) } };
      default:
        return { answer: { ...MOMENT, service: this.#chance.pick(lies), cursor: "';x", removed: true } };
    }
  }

  #remember(record: unknown): void {
    const { spec } = record as { spec: { id: string } };
    this.#records.set(spec.id, record);
  }

  #serviceOf(id: string): object {
    const runs = this.#started.has(id);
    return {
      ...{ id, recorded: true, record: this.#records.get(id) ?? null, exit: null },
      start: runs ? MOMENT : null,
      unit: { active: runs ? 'active' : 'inactive', pid: runs ? 4_000 : null, alive: runs },
    };
  }

  /** Returns a claim that a service runs here, has exited here, or was never started. */
  #falseService({ id, template }: Claim): object {
    const [sample] = this.#records.values();
    const { spec, ...rest } = (sample ?? { spec: {} }) as { spec: object };
    const exit = { result: 'exit-code', code: 'exited', status: '1', oomKills: 0 };
    const alive = this.#chance.pick([true, false]);
    return {
      ...{ id, recorded: true, record: { ...rest, spec: { ...spec, id, template } } },
      ...{ start: MOMENT, exit: alive ? null : exit },
      unit: { active: alive ? 'active' : 'failed', pid: alive ? 1 : null, alive },
    };
  }
}

function facts(): object {
  return {
    ...{ java: { path: '/usr/bin/java', version: '17' }, python: '3.11', systemd: '252', ...MOMENT },
    ...{ clock: Date.now(), diskBytes: 40_000_000_000, diskFreeBytes: 30_000_000_000 },
  };
}
