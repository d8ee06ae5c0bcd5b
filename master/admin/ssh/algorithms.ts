import type { Algorithms } from 'ssh2';

/**
 * Algorithms that the SSH server offers (docs/adr/0034).
 *
 * - Key exchange: only those that cost less than a millisecond, because a client does it before it logs in.
 * - Ciphers: AES only, which Node.js encrypts natively; GCM first, CTR for clients that lack it. ChaCha20-Poly1305
 *   would compute Poly1305 in WebAssembly (docs/design/sftp-server.md).
 * - MAC of the CTR ciphers: SHA-2; encrypt-then-MAC is preferred.
 * - No compression: the SSH library inflates without a limit, and for `zlib` even before the login.
 */
export const SERVER_ALGORITHMS = {
  kex: ['curve25519-sha256', 'curve25519-sha256@libssh.org', 'ecdh-sha2-nistp256'],
  cipher: ['aes128-gcm@openssh.com', 'aes256-gcm@openssh.com', 'aes128-ctr', 'aes192-ctr', 'aes256-ctr'],
  hmac: ['hmac-sha2-256-etm@openssh.com', 'hmac-sha2-512-etm@openssh.com', 'hmac-sha2-256', 'hmac-sha2-512'],
  compress: ['none'],
} as const satisfies Algorithms;
