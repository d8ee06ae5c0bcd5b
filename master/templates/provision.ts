/** A file that the master adds to a service, whatever its template holds in that place. */
export interface GivenFile {
  /** Relative to the service's folder; none that `serviceConfigs` writes, and not `server.jar`. */
  readonly path: string;
  readonly content: Buffer;
  /** 0600 for what only the service may read: it is kept nowhere but in the service's folder. */
  readonly mode: 0o600 | 0o644;
}

/** How proxies tell game servers who a player is. */
export interface Forwarding {
  /** `legacy`: in the handshake (BungeeCord, Spigot); `modern`: Velocity's, signed with the secret. */
  readonly kind: 'legacy' | 'modern';
  readonly secret: string;
  /** The proxies ask Mojang who players are. False: players choose their names themselves. */
  readonly checked: boolean;
}

/** What a service gets beside its template's files. Secrets are here and not in its spec, which others may read. */
export interface Provision {
  readonly files: readonly GivenFile[];
  /** Null: nothing is set up, what the admin wrote counts. */
  readonly forwarding: Forwarding | null;
}

export const NO_PROVISION: Provision = { files: [], forwarding: null };
