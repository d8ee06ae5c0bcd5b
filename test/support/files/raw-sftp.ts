import type { Duplex } from 'node:stream';
import type { Client } from 'ssh2';
import { openSubsystem } from '../master/admin-master.ts';

/** A response of SFTP version 3: its type, the data after the request ID, and the status code if the type is STATUS. */
export interface RawAnswer {
  readonly type: number;
  readonly body: Buffer;
  readonly status: number | null;
}

/** SFTP session that sends raw bytes, for requests that no client library can send. */
export interface RawSftp {
  /** Names of the extensions that the server offers. */
  readonly extensions: readonly string[];
  /**
   * Sends a request of this type. `fields` follow the request ID. Rejects if the session is closed, or if it closes
   * before the response.
   */
  ask(type: number, ...fields: readonly Buffer[]): Promise<RawAnswer>;
}

const INIT = 1;
const STATUS = 101;

export async function openRawSftp(client: Client): Promise<RawSftp> {
  return speakRawSftp(await openSubsystem(client, 'sftp'));
}

/** Starts a session on the byte stream of an SFTP server. */
export async function speakRawSftp(stream: Duplex): Promise<RawSftp> {
  const waiting = new Map<number, { resolve: (answer: RawAnswer) => void; reject: (error: Error) => void }>();
  let rest = Buffer.alloc(0);
  let onVersion: (packet: Buffer) => void = () => undefined;
  const version = new Promise<Buffer>((resolve) => (onVersion = resolve));
  stream.on('data', (chunk: Buffer) => {
    rest = Buffer.concat([rest, chunk]);
    while (rest.length >= 4 && rest.length >= 4 + rest.readUInt32BE(0)) {
      const packet = rest.subarray(4, 4 + rest.readUInt32BE(0));
      rest = rest.subarray(4 + packet.length);
      if (packet[0] === 2) onVersion(packet);
      else take(packet);
    }
  });
  let isOpen = true;
  stream.on('close', () => {
    isOpen = false;
    for (const { reject } of waiting.values()) reject(new Error('the session was closed'));
  });
  const take = (packet: Buffer): void => {
    const [type = 0] = packet;
    const id = packet.readUInt32BE(1);
    const body = packet.subarray(5);
    waiting.get(id)?.resolve({ type, body, status: type === STATUS ? body.readUInt32BE(0) : null });
    waiting.delete(id);
  };
  stream.write(framed(INIT, u32(3)));
  const extensions = fieldsOf((await version).subarray(5)).filter((_, at) => at % 2 === 0);
  let last = 0;
  return {
    extensions,
    ask: (type, ...fields) => {
      last += 1;
      const id = last;
      return new Promise((resolve, reject) => {
        if (!isOpen) {
          reject(new Error('the session is closed'));
          return;
        }
        waiting.set(id, { resolve, reject });
        stream.write(framed(type, u32(id), ...fields));
      });
    },
  };
}

/** Encodes a packet: its length, its type and its fields. */
export function framed(type: number, ...fields: readonly Buffer[]): Buffer {
  const body = Buffer.concat([Buffer.from([type]), ...fields]);
  return Buffer.concat([u32(body.length), body]);
}

function fieldsOf(bytes: Buffer): string[] {
  const fields: string[] = [];
  for (let at = 0; at < bytes.length;) {
    const end = at + 4 + bytes.readUInt32BE(at);
    fields.push(bytes.subarray(at + 4, end).toString());
    at = end;
  }
  return fields;
}

export function u32(value: number): Buffer {
  const out = Buffer.alloc(4);
  out.writeUInt32BE(value);
  return out;
}

export function u64(value: number): Buffer {
  const out = Buffer.alloc(8);
  out.writeBigUInt64BE(BigInt(value));
  return out;
}

/** Encodes a string for SFTP: its length, then its bytes. */
export function field(value: string | Buffer): Buffer {
  const bytes = typeof value === 'string' ? Buffer.from(value) : value;
  return Buffer.concat([u32(bytes.length), bytes]);
}
