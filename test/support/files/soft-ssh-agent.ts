import { createServer, type Socket } from 'node:net';
import { sshString, type SoftSecurityKey } from '../security-key.ts';

/** Messages of the protocol between SSH clients and agents (draft-ietf-sshm-ssh-agent). */
const message = {
  FAILURE: 5,
  REQUEST_IDENTITIES: 11,
  IDENTITIES: 12,
  SIGN_REQUEST: 13,
  SIGNATURE: 14,
} as const;

export interface SoftAgent {
  /** Number of signatures that clients have requested. */
  readonly signatures: number;
  close(): Promise<void>;
}

/**
 * Starts an SSH agent with one security key on a Unix socket. OpenSSH's clients log in with this key as with
 * hardware.
 *
 * @param flags flags of the signatures; 0 signs without a touch
 */
export async function startSoftAgent(path: string, key: SoftSecurityKey, flags = 1): Promise<SoftAgent> {
  let signatures = 0;
  const sockets = new Set<Socket>();
  const respond = (request: Buffer): Buffer => {
    if (request[0] === message.REQUEST_IDENTITIES) {
      return Buffer.concat([
        Buffer.of(message.IDENTITIES, 0, 0, 0, 1),
        sshString(key.blob),
        sshString('soft'),
      ]);
    }
    if (request[0] !== message.SIGN_REQUEST) return Buffer.of(message.FAILURE);
    signatures += 1;
    const dataAt = 1 + 4 + request.readUInt32BE(1);
    const data = request.subarray(dataAt + 4, dataAt + 4 + request.readUInt32BE(dataAt));
    const signature = key.sign(data, { flags });
    const trailer = signature.subarray(-5);
    const whole = Buffer.concat([sshString(key.type), sshString(signature.subarray(0, -5)), trailer]);
    return Buffer.concat([Buffer.of(message.SIGNATURE), sshString(whole)]);
  };
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    let received = Buffer.alloc(0);
    socket.on('data', (chunk) => {
      received = Buffer.concat([received, chunk]);
      while (received.length >= 4 && received.length >= 4 + received.readUInt32BE(0)) {
        const end = 4 + received.readUInt32BE(0);
        socket.write(sshString(respond(received.subarray(4, end))));
        received = received.subarray(end);
      }
    });
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(path, resolve);
  });
  return {
    get signatures() {
      return signatures;
    },
    async close() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
