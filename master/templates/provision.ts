import type { RevisionLease } from './template-files.ts';

/** File that the master adds to a service. It replaces the template's file at the same path. */
export interface ProvidedFile {
  /** Path relative to the service's folder; neither `server.jar` nor a file that `serviceConfigs` writes. */
  readonly path: string;
  readonly content: Buffer;
  /**
   * Permission bits. 0600 for secrets that only the service may read; they are stored only in the service's folder.
   */
  readonly mode: 0o600 | 0o644;
}

/** How proxies forward player identities to game servers. */
export interface Forwarding {
  /**
   * Method of forwarding. `legacy`: in the handshake (BungeeCord, Spigot). `modern`: Velocity's method, signed with
   * the secret.
   */
  readonly kind: 'legacy' | 'modern';
  readonly secret: string;
  /** Whether the proxies authenticate players with Mojang. If not, players choose their own names. */
  readonly checked: boolean;
}

/**
 * Data that a service gets in addition to its template's files. Secrets are part of it and not of the service's
 * spec, because others can read the spec.
 */
export interface Provision {
  readonly files: readonly ProvidedFile[];
  /** Forwarding to set up; null if it is not set up and the admin's settings apply. */
  readonly forwarding: Forwarding | null;
  /** Whether the network may have proxies whose forwarding Overworld does not set up. Absent: false. */
  readonly mayHaveProxy?: boolean;
  /** The save of the service's volume. Absent or null if the service has none. */
  readonly volume?: Pick<RevisionLease, 'entries' | 'pathOf'> | null;
}

export const NO_PROVISION: Provision = { files: [], forwarding: null };
