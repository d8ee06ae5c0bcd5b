import { PUT_FILE, PUT_FILE_REPLACE } from '#shared/sftp/put-file.ts';

/** Packet types of SFTP version 3 (draft-ietf-secsh-filexfer-02, sections 3 and 5). */
const type = { INIT: 1, VERSION: 2, STATUS: 101, EXTENDED: 200 } as const;
const VERSION = 3;
const attr = { PERMISSIONS: 4, ACMODTIME: 8 } as const;

/** Maximum size of a response (bytes). A response contains one sentence or the list of extensions. */
const MOST_ANSWER_BYTES = 65_536;

/** A small file with its whole content. */
export interface WholeFile {
  /** Temporary path on the master. */
  readonly part: string;
  readonly target: string;
  /** Permission bits. */
  readonly mode: number;
  /** Seconds since epoch. */
  readonly modifiedAt: number;
  readonly data: Buffer;
  /** Whether an existing target is replaced. */
  readonly replace: boolean;
}

/** Returns the INIT packet, which is the first packet of an SFTP session. */
export function initPacket(): Buffer {
  const out = Buffer.alloc(9);
  out.writeUInt32BE(5, 0);
  out.writeUInt8(type.INIT, 4);
  out.writeUInt32BE(VERSION, 5);
  return out;
}

/** Returns the packet of the request that shared/sftp/put-file.ts defines. */
export function putPacket(id: number, { part, target, mode, modifiedAt, data, replace }: WholeFile): Buffer {
  const texts = [PUT_FILE, part, target].map((text) => Buffer.from(text));
  const bytes = texts.reduce((sum, { length }) => sum + 4 + length, 9 + 4 + 16 + 4 + data.length);
  const out = Buffer.allocUnsafe(bytes);
  out.writeUInt32BE(bytes - 4, 0);
  out.writeUInt8(type.EXTENDED, 4);
  let at = out.writeUInt32BE(id, 5);
  for (const text of texts) {
    at = out.writeUInt32BE(text.length, at);
    at += text.copy(out, at);
  }
  const numbers = [replace ? PUT_FILE_REPLACE : 0, attr.PERMISSIONS | attr.ACMODTIME, mode];
  for (const number of [...numbers, modifiedAt, modifiedAt, data.length]) at = out.writeUInt32BE(number, at);
  data.copy(out, at);
  return out;
}

/** A response of the master: the extensions that it supports, or the status of a request (`code` 0: OK). */
export type SftpResponse =
  | { readonly kind: 'version'; readonly extensions: ReadonlyMap<string, string> }
  | { readonly kind: 'status'; readonly id: number; readonly code: number; readonly message: string };

/** Splits received data into responses. */
export class SftpResponseReader {
  #rest: Buffer = Buffer.alloc(0);

  /**
   * Adds received data, and returns the responses that are complete now.
   *
   * @throws RangeError for data that is not a valid response; the channel is unusable then
   */
  read(chunk: Buffer): SftpResponse[] {
    const answers: SftpResponse[] = [];
    let data = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk]);
    while (data.length >= 4) {
      const length = data.readUInt32BE(0);
      if (length > MOST_ANSWER_BYTES) throw new RangeError(`an answer of ${length} bytes`);
      if (data.length < 4 + length) break;
      answers.push(toAnswer(data.subarray(4, 4 + length)));
      data = data.subarray(4 + length);
    }
    this.#rest = data;
    return answers;
  }
}

function toAnswer(packet: Buffer): SftpResponse {
  switch (packet.readUInt8(0)) {
    case type.VERSION:
      return { kind: 'version', extensions: extensionsOf(packet) };
    case type.STATUS: {
      const message = readText(packet, 9).text;
      return { kind: 'status', id: packet.readUInt32BE(1), code: packet.readUInt32BE(5), message };
    }
    default:
      throw new RangeError(`an answer of type ${packet.readUInt8(0)}`);
  }
}

/** Reads the extensions of a VERSION packet: pairs of name and version after the protocol version. */
function extensionsOf(packet: Buffer): Map<string, string> {
  const extensions = new Map<string, string>();
  for (let at = 5; at < packet.length;) {
    const name = readText(packet, at);
    const version = readText(packet, name.end);
    extensions.set(name.text, version.text);
    at = version.end;
  }
  return extensions;
}

function readText(packet: Buffer, at: number): { readonly text: string; readonly end: number } {
  const end = at + 4 + packet.readUInt32BE(at);
  if (end > packet.length) throw new RangeError('an answer is incomplete');
  return { text: packet.toString('utf8', at + 4, end), end };
}
