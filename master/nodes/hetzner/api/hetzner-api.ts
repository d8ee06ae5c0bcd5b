import type { z } from 'zod';
import type { ApiFirewallRule } from '../firewall/firewall-rules.ts';
import { ANY_NETWORK, toSelector, type Labels } from '../labels.ts';
import { ApiProblem, isProblem } from './api-problem.ts';
import { Requester, type RequesterOptions } from './requester.ts';
import { MAX_TRIES } from './retry.ts';
import * as schemas from './schemas.ts';
import type {
  HetznerAction,
  Firewall,
  Image,
  Location,
  PrimaryIp,
  Server,
  ServerType,
  SshKey,
} from './schemas.ts';

/** Body of the request that orders a server (docs/adr/0018). */
export interface ServerOrder {
  readonly name: string;
  readonly server_type: string;
  readonly location: string;
  readonly image: number;
  readonly ssh_keys: readonly number[];
  readonly firewalls: readonly { readonly firewall: number }[];
  readonly user_data: string;
  readonly labels: Labels;
}

/** Price of a primary IPv4 in one location (EUR, without VAT). */
export interface Ipv4Price {
  readonly perHour: number;
  /** Null if the provider names none. */
  readonly perMonth: number | null;
}

/** Id that no server has. */
const NO_SERVER = Number.MAX_SAFE_INTEGER;

/** Maximum page size of the API. */
const PER_PAGE = 50;

/** Number of attempts to read a list. The number is small because the list is read again soon anyway. */
const LOOK_TRIES = 2;

/** Requests to Hetzner's API. Each method throws {@link ApiProblem}. */
export class HetznerApi {
  readonly requester: Requester;

  constructor(options: RequesterOptions) {
    this.requester = new Requester(options);
  }

  /** Lists all servers with these labels. */
  servers(labels: Labels): Promise<Server[]> {
    return this.#list('servers', schemas.serverSchema, { params: { label_selector: toSelector(labels) } });
  }

  /**
   * Checks that the token permits changes, by a request to change a server that cannot exist. The provider refuses a
   * read-only token before it searches for the server. Throws {@link ApiProblem} `token_readonly`, `forbidden` or
   * `unauthorized` if the token permits no changes.
   */
  async requireWriteAccess(): Promise<void> {
    try {
      const request = { method: 'PUT', path: `/servers/${NO_SERVER}`, data: { labels: {} } } as const;
      await this.#raw({ ...request, maxTries: LOOK_TRIES }, schemas.nothingSchema);
    } catch (error) {
      if (!isProblem(error, 'not_found', 'invalid_input')) throw error;
    }
  }

  /** Lists all servers in the project, including those that Overworld did not order. */
  allServers(): Promise<Server[]> {
    return this.#list('servers', schemas.serverSchema);
  }

  /** Lists the provider's locations. */
  locations(): Promise<Location[]> {
    return this.#list('locations', schemas.locationSchema);
  }

  /** Lists the SSH keys of the project. */
  sshKeys(): Promise<SshKey[]> {
    return this.#list('ssh_keys', schemas.sshKeySchema);
  }

  /** Lists the servers of all networks in the project, including this one. */
  serversOfAllNetworks(): Promise<Server[]> {
    return this.#list('servers', schemas.serverSchema, { params: { label_selector: ANY_NETWORK } });
  }

  /**
   * Returns the server with this name, whether or not it belongs to this network; null if there is none. Names are
   * unique in a project.
   */
  async findServer(name: string): Promise<Server | null> {
    const found = await this.#list('servers', schemas.serverSchema, {
      params: { name },
      maxTries: MAX_TRIES,
    });
    return found[0] ?? null;
  }

  /** Returns the server with this id; null if there is none. */
  async server(id: number): Promise<Server | null> {
    const schema = schemas.createdSchema.pick({ server: true });
    try {
      return (await this.#raw({ method: 'GET', path: `/servers/${id}` }, schema)).server;
    } catch (error) {
      if (isProblem(error, 'not_found')) return null;
      throw error;
    }
  }

  /** Replaces all labels of a server. */
  async relabel(id: number, labels: Labels): Promise<void> {
    await this.#raw({ method: 'PUT', path: `/servers/${id}`, data: { labels } }, schemas.nothingSchema);
  }

  /** Lists all actions of a server, running and finished ones. */
  serverActions(id: number): Promise<HetznerAction[]> {
    const path = `/servers/${id}/actions`;
    return this.#list('actions', schemas.actionSchema, { path, maxTries: MAX_TRIES });
  }

  /**
   * Returns the current state of these actions.
   *
   * @param ids at most 50
   */
  async actions(ids: readonly number[]): Promise<HetznerAction[]> {
    const { actions } = await this.requester.send({
      what: 'actions',
      isRepeatable: true,
      send: (client) => client.actions.list({ id: ids, perPage: PER_PAGE }),
      schema: schemas.actionListSchema,
    });
    return actions;
  }

  /** Lists all server types with their prices. */
  serverTypes(): Promise<ServerType[]> {
    return this.#list('server_types', schemas.serverTypeSchema);
  }

  /** Returns the price of a primary IPv4 (EUR, without VAT), per hour and per month, by location. */
  async ipv4Prices(): Promise<ReadonlyMap<string, Ipv4Price>> {
    const { pricing } = await this.#raw(
      { method: 'GET', path: '/pricing', maxTries: LOOK_TRIES },
      schemas.pricingSchema,
    );
    const prices = pricing.primary_ips.find(({ type }) => type === 'ipv4')?.prices ?? [];
    return new Map(
      prices.map(({ location, price_hourly, price_monthly }) => [
        location,
        { perHour: price_hourly.net, perMonth: price_monthly?.net ?? null },
      ]),
    );
  }

  /** Lists the system images that can be ordered for an architecture. */
  async systemImages(architecture: ServerType['architecture']): Promise<Image[]> {
    const { images } = await this.requester.send({
      what: 'images',
      isRepeatable: true,
      send: (client) =>
        client.images.list({ type: 'system', status: 'available', architecture, perPage: PER_PAGE }),
      schema: schemas.imagesSchema,
    });
    return images;
  }

  /** Reports whether the project has an SSH key with this name. */
  async hasSshKey(name: string): Promise<boolean> {
    return (await this.findSshKey(name)) !== null;
  }

  /** Returns the id of the SSH key with this name; null if there is none. */
  async findSshKey(name: string): Promise<number | null> {
    const { sshKeys } = await this.requester.send({
      what: `SSH key ${name}`,
      isRepeatable: true,
      send: (client) => client.sshKeys.list({ name }),
      schema: schemas.sshKeysSchema,
    });
    return sshKeys[0]?.id ?? null;
  }

  /**
   * Lists all firewalls of the project, because their names must be unique in the whole project, whatever their
   * labels.
   */
  firewalls(): Promise<Firewall[]> {
    return this.#list('firewalls', schemas.firewallSchema, { maxTries: MAX_TRIES });
  }

  /** Creates a firewall. Throws `uniqueness_error` if the project has one with this name. */
  async createFirewall(name: string, labels: Labels, rules: readonly ApiFirewallRule[]): Promise<Firewall> {
    const data = { name, labels, rules };
    // The request can be repeated, because the API refuses a second firewall of the same name.
    const { firewall } = await this.#raw(
      { method: 'POST', path: '/firewalls', data },
      schemas.newFirewallSchema,
    );
    return firewall;
  }

  /** Begins to replace all rules of a firewall. Returns the actions to wait for. */
  async setFirewallRules(id: number, rules: readonly ApiFirewallRule[]): Promise<HetznerAction[]> {
    const path = `/firewalls/${id}/actions/set_rules`;
    return (await this.#raw({ method: 'POST', path, data: { rules } }, schemas.actionListSchema)).actions;
  }

  /**
   * Begins to apply a firewall to a server. Returns the actions to wait for. Throws `firewall_already_applied` if the
   * server has it.
   */
  async applyFirewall(id: number, server: number): Promise<HetznerAction[]> {
    const path = `/firewalls/${id}/actions/apply_to_resources`;
    const data = { apply_to: [{ type: 'server', server: { id: server } }] };
    return (await this.#raw({ method: 'POST', path, data }, schemas.actionListSchema)).actions;
  }

  /** Deletes a firewall. Does nothing if it no longer exists. */
  async deleteFirewall(id: number): Promise<void> {
    try {
      await this.#raw({ method: 'DELETE', path: `/firewalls/${id}` }, schemas.nothingSchema);
    } catch (error) {
      if (!isProblem(error, 'not_found')) throw error;
    }
  }

  /** Lists all primary IPs with these labels. */
  primaryIps(labels: Labels): Promise<PrimaryIp[]> {
    const params = { label_selector: toSelector(labels) };
    return this.#list('primary_ips', schemas.primaryIpSchema, { params });
  }

  /** Replaces all labels of a primary IP. */
  async labelPrimaryIp(id: number, labels: Labels): Promise<void> {
    await this.#raw({ method: 'PUT', path: `/primary_ips/${id}`, data: { labels } }, schemas.nothingSchema);
  }

  async #list<T>(
    name: string,
    item: z.ZodType<T>,
    { path = `/${name}`, params = {}, maxTries = LOOK_TRIES }: ListRequest = {},
  ): Promise<T[]> {
    const schema = schemas.pageSchema(name, item);
    const all: T[] = [];
    for (let page: number | null = 1; page !== null;) {
      const query = { ...params, page, per_page: PER_PAGE };
      const answer: { items: T[]; next: number | null } = await this.#raw(
        { method: 'GET', path, params: query, maxTries },
        schema,
      );
      all.push(...answer.items);
      if (answer.next !== null && answer.next <= page) {
        // Without this check, a faulty provider could cause an endless loop that fills the memory.
        throw new ApiProblem(`page ${answer.next} of ${path} comes after page ${page}`, {
          outcome: 'unknown',
          code: 'unreadable',
        });
      }
      page = answer.next;
    }
    return all;
  }

  /** Sends a request for which hcloud-js has no call, or whose answer it truncates (docs/adr/0018). */
  #raw<T>({ method, path, params = {}, data, maxTries }: RawRequest, schema: z.ZodType<T>): Promise<T> {
    return this.requester.send({
      what: `${method} ${path}`,
      isRepeatable: true,
      ...(maxTries === undefined ? {} : { maxTries }),
      send: async (client) => (await client.axios.request({ method, url: path, params, data })).data,
      schema,
    });
  }
}

interface ListRequest {
  /** Path of the request; defaults to the name of the list. */
  readonly path?: string;
  readonly params?: Readonly<Record<string, unknown>>;
  readonly maxTries?: number;
}

interface RawRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  readonly path: string;
  readonly params?: Readonly<Record<string, unknown>>;
  readonly data?: unknown;
  readonly maxTries?: number;
}
