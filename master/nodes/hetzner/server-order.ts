import { OverworldError } from '#shared/errors/overworld-error.ts';
import { ApiProblem } from './api/api-problem.ts';
import type { ServerOrder } from './api/hetzner-api.ts';
import type { Image } from './api/schemas.ts';
import type { Context } from './context.ts';
import type { FirewallKeeper } from './firewall/firewall-keeper.ts';
import type { MachineRecord } from './journal.ts';
import { toLabels } from './labels.ts';
import type { PricedType } from './price-list.ts';

interface Wanted {
  readonly record: MachineRecord;
  readonly userData: string;
  readonly architecture: PricedType['architecture'];
}

/**
 * Returns the request with which a server is ordered: looks up the SSH keys, the newest Debian image and the
 * firewalls at the provider. Orders no server, but creates or updates the firewalls.
 *
 * @throws OverworldError ORDER_REFUSED for a missing SSH key; ApiProblem
 */
export async function prepareServerOrder(
  { record, userData, architecture }: Wanted,
  context: Context,
  firewalls: FirewallKeeper,
): Promise<ServerOrder> {
  const [keys, images, ids] = await Promise.all([
    findKeys(record.node, context),
    context.api().systemImages(architecture),
    firewalls.keep(),
  ]);
  return {
    name: record.name,
    server_type: record.type,
    location: record.location,
    image: newestDebian(images).id,
    ssh_keys: keys,
    firewalls: ids.map((firewall) => ({ firewall })),
    user_data: userData,
    labels: toLabels(context.cluster, record),
  };
}

/**
 * Finds the SSH keys of the order by name. The order contains their ids, because the API would take a name of
 * digits for an id.
 *
 * @throws OverworldError ORDER_REFUSED if a key is missing, before anything is ordered
 */
async function findKeys(node: string, { api, settings }: Context): Promise<number[]> {
  const names = settings().provider.ssh_keys;
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
 * Returns the image of the newest Debian.
 *
 * @throws ApiProblem if there is none
 */
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
