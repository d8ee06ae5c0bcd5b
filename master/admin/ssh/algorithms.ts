import type { Connection, ServerConfig } from 'ssh2';

type Algorithms = NonNullable<ServerConfig['algorithms']>;

/**
 * Algorithms that the SSH server offers (docs/adr/0034, docs/adr/0043). Debian's `ssh-audit` reports no problem with
 * them.
 *
 * - Key exchange: Curve25519 only. The server computes a key exchange before the client logs in, and Curve25519 takes
 *   less than a millisecond.
 * - Ciphers: AES only, which Node.js encrypts natively; GCM first, CTR for clients that lack it. ChaCha20-Poly1305
 *   would compute Poly1305 in WebAssembly (docs/design/sftp-server.md).
 * - MAC of the CTR ciphers: SHA-2, encrypt-then-MAC.
 * - No compression: the SSH library inflates without a limit, and for `zlib` even before the login.
 */
export const SERVER_ALGORITHMS = {
  kex: ['curve25519-sha256', 'curve25519-sha256@libssh.org'],
  cipher: ['aes128-gcm@openssh.com', 'aes256-gcm@openssh.com', 'aes128-ctr', 'aes192-ctr', 'aes256-ctr'],
  hmac: ['hmac-sha2-256-etm@openssh.com', 'hmac-sha2-512-etm@openssh.com'],
  compress: ['none'],
} as const satisfies Algorithms;

/**
 * MACs that libssh2 1.9 and 1.10 (Debian 12) support in addition to SHA-1. These versions support neither GCM nor
 * encrypt-then-MAC.
 */
const LIBSSH2_MACS = ['hmac-sha2-256', 'hmac-sha2-512'] as const;

/**
 * Returns whether a client supports no MAC of {@link SERVER_ALGORITHMS}. Decides by the client's software version.
 * This version is part of the exchange hash (RFC 4253 8). So a man in the middle cannot replace the version of a client
 * in order to get a weaker MAC.
 *
 * @param software software version of the client's identification string, such as `libssh2_1.10.0`
 */
function lacksEncryptThenMac(software: string): boolean {
  return /^libssh2_1\.(9|10)\./.test(software);
}

/** The lists of algorithms that the SSH library sends for one direction of the data. */
interface OfferedDirection {
  readonly cipher: readonly string[];
  readonly mac: readonly string[];
  readonly compress: readonly string[];
  readonly lang: readonly string[];
}

/** The SSH library's offer of algorithms. The library does not export the class. */
interface Offer {
  readonly constructor: new (lists: {
    kex: readonly string[];
    serverHostKey: readonly string[];
    cs: OfferedDirection;
    sc: OfferedDirection;
  }) => Offer;
  readonly lists: {
    readonly kex: { readonly array: readonly string[] };
    readonly serverHostKey: { readonly array: readonly string[] };
  };
}

/**
 * Offers further MACs to a client that would otherwise have none in common with the server. Must be called in the
 * `connection` event: the SSH library has then read the client's software version, and has not sent its offer yet.
 *
 * @param software software version of the client's identification string
 */
export function offerKnownMacs(client: Connection, software: string): void {
  if (!lacksEncryptThenMac(software)) return;
  // The library has one offer for all clients, so its private field is replaced for this client. `ssh-server.test.ts`
  // fails if an update of the library makes this ineffective.
  const { _protocol: protocol } = client as unknown as { readonly _protocol: { _offer: Offer } };
  const { lists, constructor: OfferClass } = protocol._offer;
  const direction: OfferedDirection = {
    cipher: SERVER_ALGORITHMS.cipher,
    mac: [...SERVER_ALGORITHMS.hmac, ...LIBSSH2_MACS],
    compress: SERVER_ALGORITHMS.compress,
    lang: [],
  };
  protocol._offer = new OfferClass({
    kex: lists.kex.array,
    serverHostKey: lists.serverHostKey.array,
    cs: direction,
    sc: direction,
  });
}
