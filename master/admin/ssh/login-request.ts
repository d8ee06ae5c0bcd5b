/**
 * Length of the id of an SSH session (bytes). The id is a SHA-256 hash in all key exchanges that the server offers.
 */
const SESSION_ID_BYTES = 32;

/** Message number of a login attempt, `SSH_MSG_USERAUTH_REQUEST` (RFC 4252 section 6). */
const USERAUTH_REQUEST = 50;

/** The fields of a login request that describe the key. */
interface LoginKey {
  /** Name of the algorithm of the signature, such as `rsa-sha2-256`. */
  readonly algorithm: string;
  /** Wire form of the key (RFC 4253 section 6.6). */
  readonly key: Buffer;
}

/**
 * Returns whether the bytes that a client has signed are a login at an SSH server with a public key (RFC 4252 section
 * 7). Other bytes, which a person may have signed with the same key for another purpose, are no login. A login
 * consists of the id of the SSH session, the message number, any user name, `ssh-connection`, `publickey`, TRUE, the
 * algorithm and the key.
 */
export function isLoginRequest(signed: Buffer, { algorithm, key }: LoginKey): boolean {
  const words = Buffer.concat([sshString('ssh-connection'), sshString('publickey'), Buffer.of(1)]);
  const end = Buffer.concat([words, sshString(algorithm), sshString(key)]);
  const start = signed.subarray(0, -end.length);
  const userAt = 4 + SESSION_ID_BYTES + 1;
  return (
    signed.subarray(-end.length).equals(end) &&
    start.length >= userAt + 4 &&
    start.readUInt32BE(0) === SESSION_ID_BYTES &&
    start[userAt - 1] === USERAUTH_REQUEST &&
    start.readUInt32BE(userAt) === start.length - userAt - 4
  );
}

/** Returns the bytes of a string with their length before them (RFC 4251 section 5). */
function sshString(content: string | Buffer): Buffer {
  const bytes = Buffer.from(content);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(bytes.length);
  return Buffer.concat([length, bytes]);
}
