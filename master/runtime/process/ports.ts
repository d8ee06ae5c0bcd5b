import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { OverworldError } from '#shared/errors/overworld-error.ts';
import type { PortRange } from '#shared/port-range.ts';

/** Ephemeral ports of macOS and IANA (RFC 6335), used if the kernel's own range cannot be read. */
const USUAL_EPHEMERAL: PortRange = { from: 49_152, to: 65_535 };

/**
 * Address for the test whether a port is free. Servers bind to all addresses by default, so the port must be free
 * on all of them.
 */
const ALL_ADDRESSES = '0.0.0.0';

/**
 * Returns the ports that the kernel assigns to outgoing connections; any of them may be in use at any moment. Returns
 * {@link USUAL_EPHEMERAL} if the kernel's range cannot be read.
 */
export async function ephemeralPorts(): Promise<PortRange> {
  try {
    const text = await readFile('/proc/sys/net/ipv4/ip_local_port_range', 'utf8');
    const [from, to] = text.trim().split(/\s+/).map(Number);
    return from === undefined || to === undefined ? USUAL_EPHEMERAL : { from, to };
  } catch {
    return USUAL_EPHEMERAL;
  }
}

/**
 * Returns the ports to try, lowest first: those outside the ephemeral range, or all of them if the whole range is
 * ephemeral.
 *
 * Example: the range 30000 to 30002 with ephemeral ports from 30001 on gives only 30000.
 */
export function candidatePorts(range: PortRange, ephemeral: PortRange): number[] {
  const all = Array.from(
    { length: Math.max(0, range.to - range.from + 1) },
    (_, index) => range.from + index,
  );
  const calm = all.filter((port) => port < ephemeral.from || port > ephemeral.to);
  return calm.length > 0 ? calm : all;
}

/**
 * Returns the lowest free port, verified by binding it for TCP and UDP.
 *
 * @param taken ports of this cluster's services, including those that do not listen yet
 * @throws OverworldError PORT_NONE_FREE
 */
export async function pickPort(range: PortRange, taken: ReadonlySet<number>): Promise<number> {
  for (const port of candidatePorts(range, await ephemeralPorts())) {
    if (!taken.has(port) && (await isFree(port))) return port;
  }
  throw new OverworldError('PORT_NONE_FREE', range);
}

async function isFree(port: number): Promise<boolean> {
  return (await bindsTcp(port)) && (await bindsUdp(port));
}

async function bindsTcp(port: number): Promise<boolean> {
  const server = createServer();
  try {
    server.listen({ port, host: ALL_ADDRESSES, exclusive: true });
    await once(server, 'listening');
  } catch {
    return false;
  }
  server.close();
  await once(server, 'close');
  return true;
}

async function bindsUdp(port: number): Promise<boolean> {
  const socket = createSocket('udp4');
  try {
    socket.bind({ port, address: ALL_ADDRESSES, exclusive: true });
    await once(socket, 'listening');
  } catch {
    socket.close();
    return false;
  }
  socket.close();
  await once(socket, 'close');
  return true;
}
