import { FakeClock } from './clock.ts';
import { Faults } from './faults.ts';
import { serveHttp, type RequestNote } from './http-core.ts';
import type { MachineHooks } from './machine-hooks.ts';
import { IPV4_MONTHLY } from './catalog.ts';
import { RateBucket } from './rate-bucket.ts';
import { createHandler } from './routes.ts';
import { isPower, powerServer } from './server-power.ts';
import { createServer, createServerBody, deleteServer, toMachine } from './servers.ts';
import { toFingerprint } from './views.ts';
import { World, type ServerRecord } from './world.ts';

export interface FakeHetznerOptions {
  /** 127.0.0.1 */
  readonly host?: string;
  /** 0: any free one. */
  readonly port?: number;
  /** How long each action takes on the fake's clock, ms; 20. */
  readonly actionMs?: number;
  readonly clock?: FakeClock;
  /** Makes real machines of created servers. */
  readonly hooks?: MachineHooks;
  /** Called when a request was carried out, before its answer leaves. */
  readonly onRequest?: (note: RequestNote) => void;
  /** IPv4 of a new server; addresses of 203.0.113.0/24 by default. */
  readonly addressOf?: (serverId: number) => string;
}

const HOURS_PER_MONTH = 624;
const HOUR_MS = 3_600_000;

/**
 * A stateful stand-in for the Hetzner Cloud API with its own HTTP server: servers, actions, firewalls, primary IPs, SSH
 * keys, types and prices on a clock that can be moved; stock, limits, rate bucket and faults that can be set.
 */
export async function startFakeHetzner(options: FakeHetznerOptions = {}): Promise<FakeHetzner> {
  const { host = '127.0.0.1', port = 0, actionMs = 20, hooks = {} } = options;
  const clock = options.clock ?? new FakeClock();
  const faults = new Faults();
  const world = new World({ clock, faults, hooks, actionMs });
  const bucket = new RateBucket(clock);
  const tokens = new Map([[FAKE_TOKEN, { write: true }]]);
  const requests: RequestNote[] = [];
  const addressOf = options.addressOf ?? nextTestAddress();
  const http = await serveHttp({
    host,
    port,
    tokens: () => tokens,
    handler: createHandler(world, addressOf),
    bucket,
    faults,
    onRequest: (note) => {
      requests.push(note);
      options.onRequest?.(note);
    },
  });
  return new FakeHetzner({
    url: `http://${host}:${http.port}/v1`,
    world,
    bucket,
    tokens,
    requests,
    addressOf,
    close: () => http.close(),
  });
}

/** The token that the fake takes until {@link FakeHetzner.tokens} is changed. */
export const FAKE_TOKEN = 'fake'.repeat(16);

function nextTestAddress(): () => string {
  let last = 0;
  return () => {
    last += 1;
    return `203.0.113.${last}`;
  };
}

interface Parts {
  readonly url: string;
  readonly world: World;
  readonly bucket: RateBucket;
  readonly tokens: Map<string, { write: boolean }>;
  readonly requests: RequestNote[];
  readonly addressOf: (id: number) => string;
  readonly close: () => Promise<void>;
}

/** What tests do behind the API's back, and what they look at. */
export class FakeHetzner {
  /** Base URL, with `/v1`. */
  readonly url: string;
  readonly token = FAKE_TOKEN;
  readonly tokens: Map<string, { write: boolean }>;
  readonly world: World;
  readonly bucket: RateBucket;
  /** Every request that came, oldest first. */
  readonly requests: RequestNote[];
  readonly close: () => Promise<void>;
  readonly #addressOf: (id: number) => string;

  constructor(parts: Parts) {
    this.url = parts.url;
    this.tokens = parts.tokens;
    this.world = parts.world;
    this.bucket = parts.bucket;
    this.requests = parts.requests;
    this.close = parts.close;
    this.#addressOf = parts.addressOf;
  }

  get clock(): FakeClock {
    return this.world.clock;
  }

  get faults(): Faults {
    return this.world.faults;
  }

  /** Servers that exist now. */
  servers(): ServerRecord[] {
    this.world.settle();
    return this.world.living();
  }

  /** Also those that are gone: whatever was ever paid for. */
  everOrdered(): ServerRecord[] {
    return [...this.world.servers.values()];
  }

  /** Net EUR of all started hours until now. */
  bill(): number {
    const now = this.clock.now();
    return this.everOrdered().reduce((sum, { created, deleted, type }) => {
      const hours = Math.max(1, Math.ceil(((deleted ?? now) - created) / HOUR_MS));
      return sum + (hours * (type.monthly + IPV4_MONTHLY)) / HOURS_PER_MONTH;
    }, 0);
  }

  /** An SSH key of the project, as made by hand. */
  addSshKey(name: string, publicKey: string): void {
    const { world } = this;
    const id = world.nextId();
    const fingerprint = toFingerprint(publicKey);
    world.sshKeys.set(id, { id, name, created: world.clock.now(), publicKey, fingerprint, labels: {} });
  }

  /** A server that somebody made by hand. */
  addServer(name: string, labels: Record<string, string> = {}): ServerRecord {
    const body = createServerBody.parse({
      name,
      server_type: 'cpx22',
      image: 'debian-13',
      location: 'nbg1',
      labels,
    });
    return createServer(body, this.world, this.#addressOf).server;
  }

  /** Deleted by hand in the provider's console. */
  deleteByHand(name: string): void {
    deleteServer(this.#named(name), this.world);
  }

  /** Switched off or on, or rebooted, by hand. */
  powerByHand(name: string, what: string): void {
    if (!isPower(what)) throw new Error(`no such power action: ${what}`);
    powerServer(this.#named(name), what, this.world);
  }

  machine(name: string): ReturnType<typeof toMachine> {
    return toMachine(this.#named(name), this.world);
  }

  #named(name: string): ServerRecord {
    const server = this.servers().find((one) => one.name === name);
    if (server === undefined) throw new Error(`the fake has no server ${name}`);
    return server;
  }
}
