import { createHash } from 'node:crypto';
import { sshString } from './security-key.ts';

export interface LoginRequest {
  readonly algorithm: string;
  readonly key: Buffer;
  /** Hashed to the id of the SSH session. */
  readonly session: Buffer | string;
}

/** Fields of the bytes that a client signs to log in (RFC 4252 section 7), in their order. */
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
