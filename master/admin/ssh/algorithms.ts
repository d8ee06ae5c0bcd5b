import type { Connection, ServerConfig } from 'ssh2';

type Algorithms = NonNullable<ServerConfig['algorithms']>;

/**
 * Algorithms that the SSH server offers (docs/adr/0034, docs/adr/0043). Debian's `ssh-audit` has nothing against
 * them.
 *
 * - Key exchange: Curve25519 only, which costs less than a millisecond, because a client does it before it logs in.
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
 * MACs that libssh2 1.9 and 1.10 (Debian 12) know in addition to SHA-1. They have neither GCM nor encrypt-then-MAC.
 */
const LIBSSH2_MACS = ['hmac-sha2-256', 'hmac-sha2-512'] as const;

/**
 * Returns whether a client knows no MAC of {@link SERVER_ALGORITHMS}. Its name is part of the exchange hash (RFC 4253
 * 8), so a man in the middle cannot change it to weaken another client.
 *
 * @param software software version of the client's identification string, such as `libssh2_1.10.0`
 */
function lacksEncryptThenMac(software: string): boolean {
  return /^libssh2_1\.(9|10)\./.test(software);
}

/** The lists of algorithms that the SSH library sends, in one direction. */
interface OfferedDirection {
  readonly cipher: readonly string[];
  readonly mac: readonly string[];
  readonly compress: readonly string[];
  readonly lang: readonly string[];
}

/** The SSH library's offer of algorithms. Its class is not exported. */
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
 * `connection` event: the SSH library has read the client's name then, and sends its offer afterwards.
 *
 * @param software software version of the client's identification string
 */
export function offerKnownMacs(client: Connection, software: string): void {
  if (!lacksEncryptThenMac(software)) return;
  // The library has one offer for all clients. `ssh-server.test.ts` fails if an update makes this ineffective.
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
