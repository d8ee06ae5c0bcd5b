/**
 * Makes keys until one can be read back. ssh2 1.17 drops a leading zero byte of an ed25519 public key when it writes
 * the pair, so one pair in 256 is unreadable for everybody (measured: 6 of 3,000; OpenSSH refuses the same ones).
 *
 * @param make makes a new pair each time
 * @param isReadable reads it back
 */
export function makeUsableKey<K>(make: () => K, isReadable: (key: K) => boolean): K {
  for (;;) {
    const key = make();
    if (isReadable(key)) return key;
  }
}
