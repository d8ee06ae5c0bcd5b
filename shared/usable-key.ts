/**
 * Generates keys until one can be read back. ssh2 1.17 drops a leading zero byte of an ed25519 public key when it
 * writes the pair, so that one pair in 256 is unreadable, also for OpenSSH.
 *
 * @param make generates a new pair each time
 * @param isReadable returns whether the pair can be read back
 */
export function makeUsableKey<K>(make: () => K, isReadable: (key: K) => boolean): K {
  for (;;) {
    const key = make();
    if (isReadable(key)) return key;
  }
}
