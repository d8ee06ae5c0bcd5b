import type { Duplex } from 'node:stream';
import type { AuthorizedKey } from '#shared/model/access/role.ts';
import type { OnFileEvent } from '#master/files/sftp/file-event.ts';
import type { OpenViews } from '#master/files/sftp/views/view.ts';
import type { OpenSession } from '../sessions.ts';

/** A public key that a client offers, and the proof that the client has the private key. */
export interface KeyOffer {
  /** Name of the key's algorithm, such as `ssh-ed25519`. */
  readonly algorithm: string;
  /** Wire form of the key (RFC 4253 6.6). */
  readonly key: Buffer;
  /** Null if the client only asks whether it may log in with the key. */
  readonly proof: KeyProof | null;
}

export interface KeyProof {
  readonly signature: Buffer;
  /** The signed bytes (RFC 4252 section 7). They contain the id of the SSH session. */
  readonly signed: Buffer;
  /** Hash algorithm that the client names for an RSA signature. */
  readonly hash: string | undefined;
}

/** A connection that has not logged in yet. */
export interface LoginClient {
  readonly address: string;
  /** Name of the client's software. The client sends this name, so it can be any text. */
  readonly software: string;
  /** Closes the connection. */
  readonly hangUp: () => void | Promise<void>;
  /** Returns why no client can log in at the moment. Null if clients can. */
  readonly whyFull?: () => string | null;
}

/** A connection that has logged in, as the SSH server sees it. */
export interface SshSession extends OpenSession {
  readonly key: AuthorizedKey;
  /** Opens the views of the session's key; undefined if there are none. */
  readonly views: OpenViews | undefined;
  /** Serves the admin API on a channel until the channel closes. */
  serveApi(channel: Duplex): void;
  readonly onFileEvent: OnFileEvent;
}

/**
 * Answer to a client that offers a key. `probe`: the client may log in with the key, but has not proven yet that it
 * has the private key. `why`: why a key is refused at the moment, although it is authorized and proven; the connection
 * is then closed. Missing if the key is not authorized, or was not proven.
 */
export type OfferAnswer =
  | { readonly kind: 'accepted'; readonly session: SshSession }
  | { readonly kind: 'probe' }
  | { readonly kind: 'refused'; readonly why?: string | undefined };

/**
 * The part of the master that the SSH server calls. It has the secrets, and decides which client may do what. Both
 * parts may run in different processes (docs/adr/0050-file-service.md), so some answers are promises.
 */
export interface SshBackend {
  /** Decides about a login, and opens a session if it is accepted. */
  login(offer: KeyOffer, client: LoginClient): OfferAnswer | Promise<OfferAnswer>;
  /** Records that a client has disconnected or was disconnected without a login. @param why for the security log */
  refused(address: string, why: string): void;
  /** Returns whether keys with the role viewer may read the contents of files now. */
  viewersRead(): boolean;
}
