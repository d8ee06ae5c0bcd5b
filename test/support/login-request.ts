import { createHash } from 'node:crypto';
import { sshString } from './security-key.ts';

export interface LoginRequest {
  readonly algorithm: string;
  readonly key: Buffer;
  /** The SHA-256 hash of this value is the id of the SSH session. */
  readonly session: Buffer | string;
}

/** Returns the fields of the bytes that a client signs to log in, in the order of RFC 4252 section 7. */
export function loginFields({ algorithm, key, session }: LoginRequest) {
  return {
    session: sshString(createHash('sha256').update(session).digest()),
    number: Buffer.of(50),
    user: sshString('overworld'),
    service: sshString('ssh-connection'),
    method: sshString('publickey'),
    isSigned: Buffer.of(1),
    algorithm: sshString(algorithm),
    key: sshString(key),
  };
}

/** Returns the bytes that a client signs to log in. */
export function loginRequest(request: LoginRequest): Buffer {
  return Buffer.concat(Object.values<Buffer>(loginFields(request)));
}
