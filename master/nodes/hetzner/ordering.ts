import { randomBytes } from 'node:crypto';
import { OverworldError } from '#shared/errors/overworld-error.ts';
import type { MachineSeed } from '../machines.ts';
import type { NodeOrder } from '../node.ts';
import { awaitActions } from './actions.ts';
import { ApiProblem, describeProblem, isProblem } from './api/api-problem.ts';
import type { ServerOrder } from './api/hetzner-api.ts';
import type { Action, Image, Server, ServerType } from './api/schemas.ts';
import type { Context } from './context.ts';
import type { FirewallKeeper } from './firewall-keeper.ts';
import type { MachineRecord } from './journal.ts';
import { clusterLabels, fromLabels, isOurs, serverName, toLabels } from './labels.ts';
import { toRecord } from './reconcile.ts';
import { retryDelayMs } from './api/retry.ts';

/** Properties of a server according to the price list, stored before it is ordered. */
export interface Choice {
  readonly hourlyPrice: number;
  readonly cores: number;
  readonly architecture: ServerType['architecture'];
}

/** Maximum number of POST requests for one order. Before each repetition, the server is searched by name. */
const MAX_POSTS = 5;

/**
 * Orders single servers. A crash or a lost answer at any point leaves no forgotten server that costs money
 * (docs/adr/0018).
 */
export class Ordering {
  readonly #context: Context;
  readonly #firewalls: FirewallKeeper;

  constructor(context: Context, firewalls: FirewallKeeper) {
    this.#context = context;
    this.#firewalls = firewalls;
  }

  /**
   * Writes the intent to the journal. From then on the machine is known.
   *
   * @throws OverworldError DISK_FULL; then it is not known
   */
  async intend(
    { node, type, location, ramMb }: NodeOrder,
    seed: MachineSeed,
    choice: Choice,
  ): Promise<MachineRecord> {
    const { journal, now, cluster, settings } = this.#context;
    const record: MachineRecord = {
      node,
      name: serverName(cluster, node),
      server: null,
      phase: 'ordering',
      status: 'starting',
      address: null,
      type,
      location,
      since: now(),
      hourlyPrice: choice.hourlyPrice,
      ramMb,
      cores: choice.cores,
      sshPort: settings().provider.server_port,
      hostKeys: [seed.hostKey],
      readyAt: null,
    };
    await journal.add(record);
    return record;
  }

  /**
   * Looks up what the order needs. Orders nothing yet.
   *
   * @throws OverworldError ORDER_REFUSED for a missing SSH key; ApiProblem
   */
  async prepare(record: MachineRecord, userData: string, choice: Choice): Promise<ServerOrder> {
    const { api, settings, cluster } = this.#context;
    const [keys, images, firewalls] = await Promise.all([
      this.#findKeys(record.node, settings().provider.ssh_keys),
      api().systemImages(choice.architecture),
      this.#firewalls.keep(),
    ]);
    return {
      name: record.name,
      server_type: record.type,
      location: record.location,
      image: newestDebian(images).id,
      ssh_keys: keys,
      firewalls: firewalls.map((firewall) => ({ firewall })),
      user_data: userData,
      labels: toLabels(cluster, record),
    };
  }

  /**
   * Orders the server of a record and waits until the provider has created it.
   *
   * @throws ApiProblem `refused`: it does not exist, or is not usable and must be deleted; `unknown`: it may exist
   */
  async place(record: MachineRecord, order: ServerOrder): Promise<void> {
    const { api, journal, times } = this.#context;
    const { server, actions } = await this.#post(record, order);
    const { phase, ...found } = toRecord(server, journal.of(record.node) ?? record);
    // If a release was requested meanwhile, the phase is kept.
    await journal.change(
      record.node,
      journal.of(record.node)?.phase === 'releasing' ? found : { ...found, phase },
    );
    await Promise.all([awaitActions(api(), actions, times), this.#introduce(server)]);
    // The finished actions imply this; the next synchronization would only report it later.
    await journal.change(record.node, { status: 'on' });
  }

  /**
   * Finds keys by name. The order contains their ids, because a name of digits would be taken for an id.
   *
   * @throws OverworldError ORDER_REFUSED if a key is missing, before anything is ordered
   */
  async #findKeys(node: string, names: readonly string[]): Promise<number[]> {
    const { api } = this.#context;
    const found = await Promise.all(names.map((name) => api().findSshKey(name)));
    const missing = names.filter((_, i) => found[i] === null);
    if (missing.length === 0) return found.flatMap((id) => id ?? []);
    throw new OverworldError('ORDER_REFUSED', {
      node,
      why: `the provider's project has no SSH key named ${missing.map((name) => `"${name}"`).join(', ')}`,
      advice: "Add it in the provider's console, or correct provider.ssh_keys in the master configuration.",
    });
  }

  /**
   * Sends the order. After every unclear answer, searches the server by name and repeats the same order
   * (docs/adr/0018).
   */
  async #post(record: MachineRecord, order: ServerOrder): Promise<{ server: Server; actions: Action[] }> {
    const { api, log, times, journal, settings } = this.#context;
    let name = order.name;
    for (let posts = 1; ; posts += 1) {
      try {
        return await api().createServer({ ...order, name });
      } catch (error) {
        if (!(error instanceof ApiProblem)) throw error;
        const isTaken = isProblem(error, 'uniqueness_error');
        if (error.outcome === 'refused' && !isTaken) throw error;
        log.warn(
          { name, posts, why: describeProblem(error) },
          'nobody knows whether the order was taken: it is looked for',
        );
        const found = await api().findServer(name);
        if (found !== null && this.#isMeant(found, record)) {
          return { server: found, actions: await api().serverActions(found.id) };
        }
        // If a release was requested or configure mode switched on meanwhile, do not order again; an existing
        // server is found by its name.
        const isOff = journal.of(record.node)?.phase === 'releasing' || settings().provider.configure_mode;
        if (posts >= MAX_POSTS || isOff) throw error;
        if (found !== null) {
          name = `${order.name}-${randomBytes(2).toString('hex')}`;
          log.warn(
            { taken: found.name, name },
            'a server of somebody else has the name of a node: another one is taken',
          );
          await journal.change(record.node, { name });
        }
        await api().requester.pause(retryDelayMs(posts, times.retry, Math.random()));
      }
    }
  }

  #isMeant({ labels }: Server, { node }: MachineRecord): boolean {
    return isOurs(labels, this.#context.cluster) && fromLabels(labels)?.node === node;
  }

  /**
   * Updates the firewall so that this server and the other nodes reach each other's services, and labels its IPs so
   * that they can be found if they are left over, because they cost money of their own. A failure does not affect
   * the order: later synchronizations update the firewall.
   */
  async #introduce({ public_net: { ipv4, ipv6 }, name }: Server): Promise<void> {
    const { api, cluster, log } = this.#context;
    const ips = [ipv4?.id, ipv6?.id].flatMap((id) => id ?? []);
    const done = await Promise.allSettled([
      this.#firewalls.keep(),
      ...ips.map((id) => api().labelPrimaryIp(id, clusterLabels(cluster))),
    ]);
    for (const one of done) {
      if (one.status === 'fulfilled') continue;
      log.warn(
        { server: name, why: describeProblem(one.reason) },
        'not all that belongs to a new node could be done',
      );
    }
  }
}

/** @throws ApiProblem if there is none */
function newestDebian(images: readonly Image[]): Image {
  const [newest] = images
    .filter(
      ({ osFlavor, osVersion, deprecated }) =>
        osFlavor === 'debian' && osVersion !== null && !isSet(deprecated),
    )
    .sort((a, b) => Number(b.osVersion) - Number(a.osVersion));
  if (newest !== undefined) return newest;
  throw new ApiProblem('the provider offers no Debian image for this type', {
    outcome: 'refused',
    code: 'no_image',
  });
}

function isSet(value: unknown): boolean {
  return value !== null && value !== undefined;
}
