/** The app's own key pair. */
export interface AppIdentity {
  /** Private key as unencrypted OpenSSH or PEM text. */
  readonly privateKey: string;
  /** Public key in one line, as in `id_ed25519.pub`. */
  readonly publicKey: string;
  readonly fingerprint: string;
}
