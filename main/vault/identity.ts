/** The app's own key pair. */
export interface Identity {
  /** Unencrypted OpenSSH or PEM text. */
  readonly privateKey: string;
  /** One line, as in `id_ed25519.pub`. */
  readonly publicKey: string;
  readonly fingerprint: string;
}
