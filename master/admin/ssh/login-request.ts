/** Length of the id of an SSH session: a SHA-256 hash, as all key exchanges of the server have it (bytes). */
const SESSION_ID_BYTES = 32;

/** Message number of a login attempt, `SSH_MSG_USERAUTH_REQUEST` (RFC 4252 section 6). */
const USERAUTH_REQUEST = 50;

/** What a login request states about the key. */
interface LoginKey {
  /** Name of the algorithm of the signature, such as `rsa-sha2-256`. */
  readonly algorithm: string;
  /** Wire form of the key (RFC 4253 section 6.6). */
  readonly key: Buffer;
}

/**
 * Returns whether signed bytes are a login at an SSH server with a public key (RFC 4252 section 7), and nothing else
 * that a person may have signed with the same key. They are the id of the SSH session, the message number, any user
 * name, `ssh-connection`, `publickey`, TRUE, the algorithm and the key.
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

/** Returns a string with its length before it (RFC 4251 section 5). */
function sshString(content: string | Buffer): Buffer {
  const bytes = Buffer.from(content);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(bytes.length);
  return Buffer.concat([length, bytes]);
}
