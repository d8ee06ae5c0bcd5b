import { masterConfigSchema, type MasterConfig } from '#shared/config/master.ts';
import { orderLocations } from '#shared/config/order-locations.ts';
import { describeProblem, isProblem } from '#master/nodes/hetzner/api/api-problem.ts';
import { HetznerApi } from '#master/nodes/hetzner/api/hetzner-api.ts';
import type { ServerType } from '#master/nodes/hetzner/api/schemas.ts';
import { bad, ok, skipped, warning, type Finding } from './finding.ts';

const NO_TOKEN = masterConfigSchema.parse({}).provider.api_token;

/**
 * Maximum time of one request (ms). After this time, the request is repeated. The time is short, because a person is
 * waiting for the result.
 */
const TIMEOUT_MS = 10_000;
const RETRY_MS = 500;

/**
 * Checks the settings of the cloud provider, `provider` (docs/specification.md#provider): token, location, available
 * server types and SSH keys. Orders nothing and changes nothing.
 *
 * @param baseUrl address of the provider's API; default: the provider's real address
 */
export async function checkProvider(
  { provider }: MasterConfig,
  baseUrl: string | undefined,
): Promise<Finding[]> {
  if (provider.api_token === NO_TOKEN) {
    const found =
      'provider.api_token is not set, so no cloud nodes can be ordered; services run on this machine only.';
    return [skipped('API token', found)];
  }
  const api = new HetznerApi({
    token: provider.api_token,
    baseUrl,
    timeoutMs: TIMEOUT_MS,
    retryMs: RETRY_MS,
    log: { warn: () => undefined },
  });
  const token = await checkToken(api);
  if (token.verdict === 'bad') return [token];
  try {
    return [
      token,
      ...(await askMarket(api, provider)),
      ...(await checkKeys(api, provider)),
      checkMode(provider),
    ];
  } catch (error) {
    return [token, unreachable('provider', error)];
  }
}

function unreachable(check: string, error: unknown): Finding {
  const advice = 'Check the network of this machine and the status page of the provider.';
  return bad(check, `The provider cannot be reached: ${describeProblem(error)}.`, advice);
}

async function checkToken(api: HetznerApi): Promise<Finding> {
  const check = 'API token';
  try {
    await api.requireWriteAccess();
  } catch (error) {
    if (isProblem(error, 'token_readonly', 'forbidden')) {
      return bad(
        check,
        'The token is read-only.',
        "Create one with read and write permission in the provider's console.",
      );
    }
    if (isProblem(error, 'unauthorized')) {
      return bad(check, 'The provider rejects the token.', 'Set provider.api_token to a valid one.');
    }
    return unreachable(check, error);
  }
  return ok(check, 'The token is valid and can order servers.');
}

type Rules = MasterConfig['provider'];

async function askMarket(api: HetznerApi, rules: Rules): Promise<Finding[]> {
  const types = await api.serverTypes();
  const locations = new Set(types.flatMap((type) => type.locations.map(({ name }) => name)));
  const [unknown] = orderLocations(rules).filter((name) => !locations.has(name));
  const field = unknown === rules.location ? 'location' : 'locations';
  const place =
    unknown === undefined
      ? ok('location', toKnown(orderLocations(rules)))
      : bad(
          'location',
          `There is no location ${unknown}.`,
          `Use these in provider.${field}: ${[...locations].sort().join(', ')}.`,
        );
  return place.verdict === 'bad' ? [place] : [place, checkTypes(types, rules)];
}

function toKnown(locations: readonly string[]): string {
  const names = locations.join(', ');
  return locations.length === 1
    ? `${names} is a location of the provider.`
    : `${names} are locations of the provider.`;
}

function checkTypes(types: readonly ServerType[], rules: Rules): Finding {
  const { server_type: prefix, blocked_servers: blocked } = rules;
  const locations = orderLocations(rules);
  const places = locations.join(' or ');
  const check = 'server types';
  const allowed = types
    .filter(({ name }) => name.startsWith(prefix) && !blocked.includes(name))
    .flatMap((type) =>
      type.locations.filter(({ name }) => locations.includes(name)).map((at) => ({ type, at })),
    )
    .filter(({ at }) => at.deprecation === null || at.deprecation.unavailable_after > Date.now());
  const list = (some: typeof allowed): string =>
    [...new Set(some.map(({ type }) => `${type.name} (${type.memory} GB)`))].join(', ');
  if (allowed.length === 0) {
    const found = `The provider sells nothing in ${places} that begins with "${prefix}" and is not blocked.`;
    return bad(check, found, 'Change provider.server_type, location or blocked_servers.');
  }
  const inStock = allowed.filter(({ at }) => at.available);
  if (inStock.length === 0) {
    const found = `${list(allowed)} are allowed, but the provider has none of them in ${places} now.`;
    return warning(check, found, 'Allow more types or another location. Orders are likely to be rejected.');
  }
  return ok(check, `Available in ${places}: ${list(inStock)}.`);
}

async function checkKeys(api: HetznerApi, { ssh_keys: names }: Rules): Promise<Finding[]> {
  const check = 'SSH keys';
  if (names.length === 0)
    return [skipped(check, 'No additional keys get access to nodes (provider.ssh_keys is empty).')];
  const missing: string[] = [];
  for (const name of names) if (!(await api.hasSshKey(name))) missing.push(name);
  if (missing.length === 0) return [ok(check, `The provider has ${names.join(', ')}.`)];
  const found = `The provider has no key named ${missing.join(', ')}.`;
  return [
    bad(
      check,
      found,
      "Add it in the provider's console, or remove it from provider.ssh_keys. Until then, nothing is ordered.",
    ),
  ];
}

function checkMode({ configure_mode: isOn }: Rules): Finding {
  const check = 'configure mode';
  if (!isOn) return ok(check, 'Nodes are ordered when they are needed.');
  return warning(
    check,
    'Configure mode is on: no nodes are ordered.',
    'Switch provider.configure_mode off to order nodes.',
  );
}
