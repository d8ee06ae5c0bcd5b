import { FakeClock } from './world/clock.ts';
import { Faults } from './http/faults.ts';
import { serveHttp, type RequestNote } from './http/http-core.ts';
import type { MachineHooks } from './world/machine-hooks.ts';
import { IPV4_MONTHLY } from './world/catalog.ts';
import { RateBucket } from './http/rate-bucket.ts';
import { createHandler } from './routes/routes.ts';
import { isPower, powerServer } from './world/server-power.ts';
import { createServer, createServerBody, deleteServer, toMachine } from './world/servers.ts';
import { toFingerprint } from './world/views.ts';
import { World, type ServerRecord } from './world/world.ts';

export interface FakeHetznerOptions {
  /** Address to listen on; default 127.0.0.1. */
  readonly host?: string;
  /** Port to listen on; default 0, which means a free port. */
  readonly port?: number;
  /** Duration of each action on the fake's clock (ms); default 20. */
  readonly actionMs?: number;
  readonly clock?: FakeClock;
  /** Hooks that connect the servers to real machines. Without them, servers exist only in the API. */
  readonly hooks?: MachineHooks;
  /** Called after a request is executed and before its answer is sent. */
  readonly onRequest?: (note: RequestNote) => void;
  /** Returns the IPv4 address of a new server; by default an address of 203.0.113.0/24. */
  readonly addressOf?: (serverId: number) => string;
}

const HOURS_PER_MONTH = 624;
const HOUR_MS = 3_600_000;

/**
 * Starts a stateful fake of the Hetzner Cloud API with its own HTTP server. The fake has servers, actions, firewalls,
 * primary IPs, SSH keys, types and prices. Tests can move its clock, and set stock, limits, rate limit and faults.
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

/** Token that the fake accepts unless {@link FakeHetzner.tokens} is changed. */
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

/** Fake of the Hetzner Cloud API. Tests can change and inspect its state directly, without the API. */
export class FakeHetzner {
  /** Base URL, including `/v1`. */
  readonly url: string;
  readonly token = FAKE_TOKEN;
  readonly tokens: Map<string, { write: boolean }>;
  readonly world: World;
  readonly bucket: RateBucket;
  /** All requests received, oldest first. */
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

  /** Returns the servers that exist now. */
  servers(): ServerRecord[] {
    this.world.settle();
    return this.world.living();
  }

  /** Returns all servers that were ever created, including deleted servers, because each server has cost money. */
  everOrdered(): ServerRecord[] {
    return [...this.world.servers.values()];
  }

  /** Returns the net price of all started hours so far (EUR). */
  bill(): number {
    const now = this.clock.now();
    return this.everOrdered().reduce((sum, { created, deleted, type }) => {
      const hours = Math.max(1, Math.ceil(((deleted ?? now) - created) / HOUR_MS));
      return sum + (hours * (type.monthly + IPV4_MONTHLY)) / HOURS_PER_MONTH;
    }, 0);
  }

  /** Adds an SSH key to the project, as a person does in the provider's console. */
  addSshKey(name: string, publicKey: string): void {
    const { world } = this;
    const id = world.nextId();
    const fingerprint = toFingerprint(publicKey);
    world.sshKeys.set(id, { id, name, created: world.clock.now(), publicKey, fingerprint, labels: {} });
  }

  /** Creates a server, as a person does in the provider's console. */
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

  /** Deletes a server, as a person does in the provider's console. */
  deleteByHand(name: string): void {
    deleteServer(this.#named(name), this.world);
  }

  /** Switches a server off or on, or reboots it, as a person does in the provider's console. */
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
