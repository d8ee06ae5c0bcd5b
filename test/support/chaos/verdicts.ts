import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'vitest';
import { roles, type Role } from '#shared/model/access/role.ts';
import { methods, type MethodName } from '#shared/rpc/contract.ts';
import { verifyChain } from '#master/store/security-log/chain.ts';
import type { SecurityEntry } from '#shared/model/access/security-entry.ts';
import { readSecurityFiles } from '#master/store/security-log/files.ts';
import { readCalls } from '../contract/read-calls.ts';
import { openRpc } from '../master/admin-master.ts';
import { jvmsOf } from '../master/master-process.ts';
import { leaksBelow, secretsIn, type Canary } from './canaries.ts';
import { LASTING, type ChaosNetwork } from './chaos-network.ts';
import { FORGED } from './hostile-node.ts';

/**
 * Limit of the master's memory (MB), as in the lab (test/lab/stage/stage.ts). In these tests, the master needs about
 * 130 MB.
 */
const MOST_MEMORY_MB = 300;

/** Maximum growth of the master's memory during a fault (MB). More growth counts as a leak. */
const MOST_GROWTH_MB = 60;

/** Time between two checks whether a service runs twice (ms). It is shorter than the start of a JVM. */
const TWINS_EVERY_MS = 600;

/** Kinds of entries of the security log that only people with rights can cause. */
const RIGHTS_NEEDED = /^(key|config|token|template|balancer|session)\./;

/** State of the network before a fault. */
export interface Before {
  readonly files: ReadonlyMap<string, string>;
  readonly pids: string;
  readonly securityHash: string;
  readonly memoryMb: number;
  readonly twins: { readonly stop: () => Promise<readonly string[]> };
}

/** Changes that a fault is allowed to make. */
export interface Allowed {
  /** Paths in `config/`, `templates/` and `files/`, relative to the data folder. */
  readonly files?: RegExp;
  /** Kinds of entries of the security log. */
  readonly entries?: RegExp;
}

export async function lookBefore(network: ChaosNetwork): Promise<Before> {
  const { entries } = await securityLog(network);
  return {
    files: await filesOf(network),
    pids: await lastingPids(network),
    securityHash: entries.at(-1)?.hash ?? '',
    memoryMb: network.master.takeMemory().nowMb,
    twins: watchTwins(network),
  };
}

/**
 * Checks the network after a fault. Throws an error with all violations of the first four rules, or with the first
 * exceeded limit of memory:
 *
 * - No player was disconnected.
 * - No service ran twice, and no lasting service was restarted.
 * - No file and no entry of the security log was written without permission.
 * - No secret is in a place that must not contain it.
 * - The master's memory is within its limits.
 *
 * @returns the master's peak memory during the fault, and its growth (MB)
 */
export async function expectUnharmed(
  network: ChaosNetwork,
  before: Before,
  allowed: Allowed = {},
): Promise<{ readonly peakMb: number; readonly growthMb: number }> {
  const memory = network.master.takeMemory();
  const verdict = {
    disconnected: network.watchers.filter(({ isGone }) => isGone).map(({ username }) => username),
    twins: await before.twins.stop(),
    pids: await lastingPids(network),
    written: await writtenWithoutRight(network, before, allowed),
    securityLog: await entriesWithoutRight(network, before, allowed),
    leaks: await leaksOf(network),
  };
  expect(verdict).toEqual({
    ...{ disconnected: [], twins: [], pids: before.pids },
    ...{ written: [], securityLog: [], leaks: [] },
  });
  expect(memory.peakMb, 'peak memory of the master (MB)').toBeLessThanOrEqual(MOST_MEMORY_MB);
  const growthMb = memory.nowMb - before.memoryMb;
  expect(growthMb, 'growth of the memory of the master (MB)').toBeLessThanOrEqual(MOST_GROWTH_MB);
  return { peakMb: memory.peakMb, growthMb };
}

async function lastingPids(network: ChaosNetwork): Promise<string> {
  const jvms = await jvmsOf(network.data);
  return LASTING.map((id) => `${id} ${(jvms.get(id) ?? []).join('+')}`).join(', ');
}

function watchTwins({ data }: ChaosNetwork): Before['twins'] {
  const seen = new Set<string>();
  let watching = true;
  const watch = async (): Promise<void> => {
    while (watching) {
      for (const [id, pids] of await jvmsOf(data)) if (pids.length > 1) seen.add(id);
      await new Promise((resolve) => setTimeout(resolve, TWINS_EVERY_MS));
    }
  };
  const watched = watch();
  // stop() throws the error, but a test that fails earlier never calls stop().
  watched.catch(() => undefined);
  return {
    stop: async () => {
      watching = false;
      await watched;
      return [...seen];
    },
  };
}

/** Returns the digests of the files that only people with rights can change. */
async function filesOf({ data }: ChaosNetwork): Promise<Map<string, string>> {
  const digests = new Map<string, string>();
  for (const folder of ['config', 'templates', 'files']) {
    const entries = await readdir(join(data, folder), { recursive: true, withFileTypes: true }).catch(
      () => [],
    );
    for (const entry of entries.filter((one) => one.isFile())) {
      const path = join(entry.parentPath, entry.name);
      digests.set(
        path.slice(data.length + 1),
        createHash('sha256')
          .update(await readFile(path))
          .digest('hex'),
      );
    }
  }
  return digests;
}

async function writtenWithoutRight(
  network: ChaosNetwork,
  { files }: Before,
  allowed: Allowed,
): Promise<string[]> {
  const now = await filesOf(network);
  const changed = [...new Set([...files.keys(), ...now.keys()])].filter(
    (path) => files.get(path) !== now.get(path),
  );
  return changed.filter((path) => allowed.files?.test(path) !== true);
}

async function securityLog({
  data,
}: ChaosNetwork): Promise<{ breaks: readonly unknown[]; entries: readonly SecurityEntry[] }> {
  return verifyChain(await readSecurityFiles(join(data, 'state', 'security')));
}

async function entriesWithoutRight(
  network: ChaosNetwork,
  before: Before,
  allowed: Allowed,
): Promise<string[]> {
  const { breaks, entries } = await securityLog(network);
  const at = entries.findIndex(({ hash }) => hash === before.securityHash);
  if (breaks.length > 0 || at < 0) return [`the chain is broken: ${JSON.stringify(breaks)}`];
  return entries
    .slice(at + 1)
    .filter(({ kind }) => RIGHTS_NEEDED.test(kind) && allowed.entries?.test(kind) !== true)
    .map(({ kind, actor, message }) => `${kind} by ${actor}: ${message}`);
}

async function leaksOf(network: ChaosNetwork): Promise<string[]> {
  const canaries = await network.canaries();
  const [viewer, operator] = await Promise.all([
    answersTo(network, 'viewer'),
    answersTo(network, 'operator'),
  ]);
  const local = await answersOnSocket(network);
  const log = Buffer.from(network.master.log);
  const places = {
    ...{ 'log of the master': log, 'answers to a viewer': viewer, 'answers to an operator': operator },
    ...{
      'answers to an owner': local,
      'requests to the provider': Buffer.from(JSON.stringify(network.fake.requests)),
    },
    'a server that pretends to be the master': Buffer.concat(network.deceived),
    'command lines and environments': await processesOf(network),
  };
  const found = Object.entries(places).flatMap(([place, bytes]) =>
    secretsIn(bytes, canaries).map((name) => `${place}: ${name}`),
  );
  const onNodes = network.nodes.flatMap(({ name, received }) =>
    secretsIn(received, canaries.filter(isNotForNodes)).map((secret) => `sent to ${name}: ${secret}`),
  );
  if (viewer.includes(FORGED)) found.push(`answers to a viewer: '${FORGED}'`);
  return [...(await leaksBelow(network.data, canaries)), ...found, ...onNodes];
}

/**
 * Returns whether a node must not get a secret. A node gets the secrets of its own services: their link tokens and
 * the forwarding secret (docs/security.md#a-node).
 */
function isNotForNodes({ name }: Canary): boolean {
  return name !== 'forwarding secret' && !name.startsWith('link token of big-');
}

/** Makes all reading calls of a role over SSH, and returns the answers. */
async function answersTo(network: ChaosNetwork, role: Role): Promise<Buffer> {
  const client = await network.logIn(network.people[role]);
  client.on('error', () => undefined);
  try {
    const rpc = await openRpc(client);
    const answers = callsOf(role).map(([method, params]) =>
      rpc.sendRequest(method, params).catch((error: unknown) => ({ error, text: String(error) })),
    );
    return Buffer.from(JSON.stringify(await Promise.all(answers)));
  } finally {
    client.end();
  }
}

/** Makes all reading calls of an owner over the local socket, and returns the answers. */
async function answersOnSocket({ master }: ChaosNetwork): Promise<Buffer> {
  const answers: unknown[] = [];
  for (const [method, params] of callsOf('owner')) {
    answers.push(await master.call(method as 'services.list', params as object).catch(String));
  }
  answers.push(await master.call('config.text', {}));
  return Buffer.from(JSON.stringify(answers));
}

function callsOf(role: Role): [string, unknown][] {
  const calls = Object.entries(readCalls);
  return calls.filter(([method]) => roles.indexOf(methods[method as MethodName].role) <= roles.indexOf(role));
}

/**
 * Returns the command lines and environments of the master and the services. All users of a machine can read command
 * lines.
 */
async function processesOf(network: ChaosNetwork): Promise<Buffer> {
  const pids = [network.master.pid, ...[...(await jvmsOf(network.data)).values()].flat()];
  const files = pids.flatMap((pid) => [`/proc/${pid}/cmdline`, `/proc/${pid}/environ`]);
  return Buffer.concat(await Promise.all(files.map((file) => readFile(file).catch(() => Buffer.alloc(0)))));
}
