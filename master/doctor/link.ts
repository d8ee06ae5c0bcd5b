import { X509Certificate } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { connect } from 'node:tls';
import { z } from 'zod';
import type { MasterConfig } from '#shared/config/master.ts';
import { isOwnAddress, ownAddresses } from '#master/link/server/own-addresses.ts';
import { takenBy } from '#master/link/server/port-holder.ts';
import { tryToListen } from '#master/link/server/ports.ts';
import { dataFolderAt } from '#master/store/data-folder.ts';
import { bad, ok, skipped, warning, type Finding } from './finding.ts';

const LOOPBACK = /^(127\.|::1$)/;

/** Maximum time for a running master to respond on the same machine (ms). */
const ANSWER_TIMEOUT_MS = 3_000;

/** Returns the number of cloud nodes that the master's state file lists. 0 if the file is missing or faulty. */
export async function countCloudNodes(data: string): Promise<number> {
  const schema = z.object({ machines: z.array(z.unknown()) });
  try {
    const text = await readFile(join(dataFolderAt(data).state, 'nodes.json'), 'utf8');
    return schema.parse(JSON.parse(text)).machines.length;
  } catch {
    // The file is missing because no node was ever ordered, or it is faulty, which the master itself reports.
    return 0;
  }
}

/**
 * Checks that `communication.hostname` (docs/specification.md#communication) is an address of this machine, and not a
 * loopback address. Does not check whether a firewall or NAT keeps nodes from reaching the address.
 *
 * @param cloudNodes number of cloud nodes; if there are any, a loopback address is a failure, otherwise a warning
 */
export function checkAddress({ communication: { hostname } }: MasterConfig, cloudNodes: number): Finding {
  const check = 'own address';
  if (!isOwnAddress(hostname)) {
    const own = ownAddresses().filter((one) => !LOOPBACK.test(one));
    const found = `communication.hostname is ${hostname}, but this machine has ${own.join(', ') || 'no address'}.`;
    return bad(check, found, 'Set communication.hostname to one of these and restart the master.');
  }
  if (!LOOPBACK.test(hostname)) return ok(check, `${hostname} is an address of this machine.`);
  const found = `communication.hostname is ${hostname}, which can be reached only from this machine`;
  if (cloudNodes === 0) {
    const advice =
      'Before cloud nodes are ordered, set it to an address at which they can reach this machine.';
    return warning(check, `${found}.`, advice);
  }
  const nodes = cloudNodes === 1 ? 'a cloud node exists, whose' : `${cloudNodes} cloud nodes exist, whose`;
  const advice =
    'Set it to an address at which they can reach this machine, restart the master, then restart those services.';
  return bad(check, `${found}, and ${nodes} services cannot reach the master.`, advice);
}

interface Place {
  /** Data folder of the master. */
  readonly data: string;
  readonly isMasterRunning: boolean;
}

/**
 * Checks `communication.port`. While no master runs, the port must be free. While a master runs, the port must
 * present the master's own certificate.
 */
export async function checkPort(
  { communication }: MasterConfig,
  { data, isMasterRunning }: Place,
): Promise<Finding> {
  const { hostname, port } = communication;
  return isMasterRunning ? checkListening({ hostname, port, data }) : checkFree(hostname, port);
}

async function checkFree(hostname: string, port: number): Promise<Finding> {
  const check = 'own port';
  const problem = await tryToListen(hostname, port);
  if (problem === null) return ok(check, `${hostname}:${port} is free for the master.`);
  const taken = problem.code === 'EADDRINUSE';
  const found = taken
    ? `communication.port is ${port}, and ${await takenBy(port)}.`
    : `The master cannot listen on ${hostname}:${port}: ${problem.message}.`;
  return bad(
    check,
    found,
    taken
      ? 'Stop that program, or set another communication.port.'
      : 'Correct communication in the master configuration.',
  );
}

/**
 * Checks the port of a running master. The master listens on the port that was configured when it started. The
 * configuration file may name another port since then.
 */
async function checkListening(at: {
  readonly hostname: string;
  readonly port: number;
  readonly data: string;
}): Promise<Finding> {
  const check = 'own port';
  const { hostname, port, data } = at;
  const own = await ownFingerprint(data);
  if (own === null)
    return skipped(
      check,
      `The master is running, but its certificate cannot be read, so port ${port} was not checked.`,
    );
  const seen = await fingerprintAt(
    hostname === '0.0.0.0' || hostname === '::' ? '127.0.0.1' : hostname,
    port,
  );
  if (seen === own) return ok(check, `The master accepts plugins on ${hostname}:${port}.`);
  const found =
    seen === null
      ? `The master is running, but does not accept plugins on ${hostname}:${port}.`
      : `The master is running, but another program uses ${hostname}:${port}.`;
  return bad(check, found, 'Run: overworld-master status. If communication was changed, restart the master.');
}

/** Returns the SHA-256 fingerprint of the master's certificate. Null if the certificate cannot be read. */
async function ownFingerprint(data: string): Promise<string | null> {
  const schema = z.object({ certificate: z.string() });
  try {
    const text = await readFile(join(dataFolderAt(data).config, 'link.json'), 'utf8');
    return new X509Certificate(schema.parse(JSON.parse(text)).certificate).fingerprint256;
  } catch {
    return null;
  }
}

/**
 * Returns the SHA-256 fingerprint of the certificate that a server presents at an address. Null if no server answers.
 */
function fingerprintAt(host: string, port: number): Promise<string | null> {
  return new Promise((resolve) => {
    const socket = connect({ host, port, rejectUnauthorized: false, timeout: ANSWER_TIMEOUT_MS }, () => {
      resolve(socket.getPeerX509Certificate()?.fingerprint256 ?? null);
      socket.destroy();
    });
    socket.on('timeout', () => socket.destroy());
    socket.on('error', () => undefined);
    socket.on('close', () => resolve(null));
  });
}
