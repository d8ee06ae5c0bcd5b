/**
 * Generates keys until one of them can be read back. When ssh2 1.17 writes an ed25519 key pair, it drops a leading
 * zero byte of the public key. One pair in 256 is therefore unreadable, also for OpenSSH.
 *
 * @param make generates a new pair at each call
 * @param isReadable returns whether the pair can be read back
 */
export function makeUsableKey<K>(make: () => K, isReadable: (key: K) => boolean): K {
  for (;;) {
    const key = make();
    if (isReadable(key)) return key;
  }
}
