import { connect } from 'node:net';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import ssh2 from 'ssh2';
import { fingerprintOf } from '#shared/node/fingerprint.ts';
import { MessageFraming } from '#shared/node/message-framing.ts';
import { MAX_MESSAGE_BYTES, RPC_SUBSYSTEM } from '#shared/rpc/contract.ts';
import { localSocketPath } from '#master/admin/local-socket.ts';
import { makePerson } from './admin-master.ts';

/** JSON-RPC message of the admin API. */
export interface Message {
  readonly id?: number | string | null;
  readonly method?: string;
  readonly params?: unknown;
  readonly result?: unknown;
  readonly error?: unknown;
}

/**
 * Changes of a relay that make a real master look like a master of another version. The relay forwards everything
 * else unchanged.
 */
export interface VersionChanges {
  /** Changes a request before the master gets it. */
  request?(message: Message): Message;
  /** Changes the result of a method. */
  result?(method: string, result: unknown): unknown;
  /** Changes the error of a request. */
  error?(error: unknown): unknown;
  /** Changes the params of a notification. */
  notification?(method: string, params: unknown): unknown;
}

/** SSH server in front of a master. It accepts all keys, and forwards only the admin API. */
export interface VersionRelay {
  readonly host: string;
  readonly port: number;
  /** Fingerprint of the relay's own host key. */
  readonly hostKey: string;
  /** Requests of the app, before changes. */
  readonly requests: readonly Message[];
  close(): Promise<void>;
}

/** Starts a relay to the master with this data folder. The relay has the rights of an owner. */
export async function startVersionRelay(data: string, changes: VersionChanges): Promise<VersionRelay> {
  const { privateKey } = makePerson('relay');
  const parsed = ssh2.utils.parseKey(privateKey);
  if (parsed instanceof Error) throw parsed;
  const requests: Message[] = [];
  const open = new Set<Duplex>();
  const server = new ssh2.Server({ hostKeys: [privateKey] }, (client) => {
    client.on('authentication', (context) => context.accept());
    client.on('error', () => undefined);
    client.on('session', (accept) => {
      accept().on('subsystem', (acceptSubsystem, reject, { name }) => {
        if (name !== RPC_SUBSYSTEM) {
          reject();
          return;
        }
        const near: Duplex = acceptSubsystem();
        const far = connect(localSocketPath(data));
        open.add(near).add(far);
        relay(near, far, { changes, requests });
      });
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    host: '127.0.0.1',
    port: (server.address() as AddressInfo).port,
    hostKey: fingerprintOf(parsed.getPublicSSH()),
    requests,
    close: () =>
      new Promise((resolve) => {
        for (const stream of open) stream.destroy();
        server.close(() => resolve());
      }),
  };
}

interface Relaying {
  readonly changes: VersionChanges;
  readonly requests: Message[];
}

function relay(near: Duplex, far: Duplex, { changes, requests }: Relaying): void {
  const methods = new Map<Message['id'], string>();
  pump(near, far, (message) => {
    requests.push(message);
    methods.set(message.id, message.method ?? '');
    return changes.request?.(message) ?? message;
  });
  pump(far, near, (message) => {
    if (message.method !== undefined) {
      const params = changes.notification?.(message.method, message.params) ?? message.params;
      return { ...message, params };
    }
    if (message.error !== undefined) {
      return { ...message, error: changes.error?.(message.error) ?? message.error };
    }
    if (message.result === undefined) return message;
    const method = methods.get(message.id) ?? '';
    return { ...message, result: changes.result?.(method, message.result) ?? message.result };
  });
}

/** Forwards the messages of one stream to another stream. `change` returns the message to forward. */
function pump(from: Duplex, to: Duplex, change: (message: Message) => Message): void {
  const framing = new MessageFraming(MAX_MESSAGE_BYTES);
  from.on('data', (chunk: Buffer) => {
    framing.add(chunk);
    for (let body = framing.next(); body !== null; body = framing.next()) {
      const text = JSON.stringify(change(JSON.parse(body.toString('utf8')) as Message));
      to.write(`Content-Length: ${Buffer.byteLength(text)}\r\n\r\n${text}`);
    }
  });
  from.on('error', () => to.destroy());
  from.on('close', () => to.destroy());
}
