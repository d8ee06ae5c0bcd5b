import { randomBytes } from 'node:crypto';
import { OverworldError } from '#shared/errors/overworld-error.ts';
import type { MachineSeed } from '../machines.ts';
import type { NodeOrder } from '../provider.ts';
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

/** What a machine is going to be, from the price list; written down before it is ordered. */
export interface Choice {
  readonly hourlyPrice: number;
  readonly cores: number;
  readonly architecture: ServerType['architecture'];
}

/** A POST whose answer was lost is made again at most so often: each time after a look for what it may have made. */
const MAX_POSTS = 5;

/** Orders single machines so that a crash or a lost answer at any point costs nothing that is forgotten (docs/adr/0018). */
export class Ordering {
  readonly #context: Context;
  readonly #firewalls: FirewallKeeper;

  constructor(context: Context, firewalls: FirewallKeeper) {
    this.#context = context;
    this.#firewalls = firewalls;
  }

  /**
   * Writes down what is meant. From here on the machine is known.
   *
   * @throws OverworldError DISK_FULL; then nothing is known of it
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
   * Looks up what the order needs; nothing is ordered by that.
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
   * Orders what was written down and waits until the provider has made it.
   *
   * @throws ApiProblem `refused`: it does not exist, or is of no use and has to be deleted; `unknown`: it may exist
   */
  async place(record: MachineRecord, order: ServerOrder): Promise<void> {
    const { api, journal, times } = this.#context;
    const { server, actions } = await this.#post(record, order);
    const { phase, ...found } = toRecord(server, journal.of(record.node) ?? record);
    // A release may have been asked for meanwhile: its mark stays.
    await journal.change(
      record.node,
      journal.of(record.node)?.phase === 'releasing' ? found : { ...found, phase },
    );
    await Promise.all([awaitActions(api(), actions, times), this.#introduce(server)]);
    // Known from its actions; the next look would tell it later.
    await journal.change(record.node, { status: 'on' });
  }

  /**
   * Keys by their names. Ids are sent: a name of digits alone would be taken for one.
   *
   * @throws OverworldError ORDER_REFUSED when one is missing: found before anything is ordered
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

  /** The order itself: after every unclear answer a look by name, then the same order again (docs/adr/0018). */
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
        // A release may have been asked for meanwhile, or configure mode switched on: what was made is found by its name.
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
   * Lets the other nodes' services be reached from it and its own from them, and labels its IPs, so that they are found again
   * should they ever be left over: they cost on their own. The order stands without that: later looks see to the firewall.
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

/** @throws ApiProblem when there is none */
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
