import { randomBytes } from 'node:crypto';
import { MAX_CLIENT_CHARACTERS, type AdminSession } from '#shared/model/access/admin-session.ts';
import type { AuthorizedKey } from '#shared/model/access/role.ts';

/** Length of a session's id (bytes). The id is short, because people type it on the command line. */
const ID_BYTES = 4;

/** What a channel of a session is used for. */
export type ChannelUse = keyof AdminSession['channels'];

/** A connection that has logged in. */
export interface NewSession {
  readonly key: AuthorizedKey;
  readonly address: string;
  /** Name of the client's software. The client sends this name, so it can be any text. */
  readonly client: string;
  /** Closes the connection. */
  readonly hangUp: () => void | Promise<void>;
}

/** An open session, for the part that serves its connection. */
export interface OpenSession {
  readonly id: string;
  /** Counts a channel as open. @returns a function to call once when it is closed */
  openChannel(use: ChannelUse): () => void;
  /** Removes the session from the list, after its connection was closed. */
  close(): void;
}

/** The list of open sessions on the SSH port. */
export class SessionRegistry {
  readonly #open = new Map<string, { session: Omit<AdminSession, 'own'>; hangUp: NewSession['hangUp'] }>();
  /** Fingerprints of the keys of all sessions whose connection is not closed yet, by the sessions' ids. */
  readonly #unclosed = new Map<string, string>();
  readonly #now: () => number;
  readonly #onChange: () => void;

  /**
   * Creates an empty list.
   *
   * @param onChange called after each change of the list
   * @param now clock for the time of the login (ms since epoch)
   */
  constructor(onChange: () => void = () => undefined, now: () => number = Date.now) {
    this.#onChange = onChange;
    this.#now = now;
  }

  /** Adds a session to the list. */
  open({ key, address, client, hangUp }: NewSession): OpenSession {
    const id = this.#freeId();
    const channels = { api: 0, sftp: 0 };
    const { name, fingerprint, role } = key;
    const session = { id, key: name, fingerprint, role, address, client: visible(client), channels };
    this.#open.set(id, { session: { ...session, since: this.#now() }, hangUp });
    this.#unclosed.set(id, fingerprint);
    this.#onChange();
    return {
      id,
      openChannel: (use) => {
        channels[use] += 1;
        this.#onChange();
        return () => {
          channels[use] -= 1;
          this.#onChange();
        };
      },
      close: () => {
        this.#unclosed.delete(id);
        if (this.#open.delete(id)) this.#onChange();
      },
    };
  }

  /** Returns the open sessions, the earliest login first. */
  list(): Omit<AdminSession, 'own'>[] {
    return [...this.#open.values()].map(({ session }) => ({ ...session, channels: { ...session.channels } }));
  }

  /**
   * Returns the number of sessions of a key, by its fingerprint. Includes sessions that were ended, until their
   * connection is closed.
   */
  countOf(fingerprint: string): number {
    return [...this.#unclosed.values()].filter((one) => one === fingerprint).length;
  }

  /**
   * Removes a session from the list, and closes its connection. Resolves when the connection is closed. Does nothing
   * if the session is not open.
   */
  async end(id: string): Promise<void> {
    const open = this.#open.get(id);
    if (open === undefined) return;
    this.#open.delete(id);
    this.#onChange();
    await open.hangUp();
  }

  /** Ends all sessions of a key, by its fingerprint, like {@link end}. @returns their number */
  async endAllOf(fingerprint: string): Promise<number> {
    const ids = [...this.#open]
      .filter(([, { session }]) => session.fingerprint === fingerprint)
      .map(([id]) => id);
    await Promise.all(ids.map((id) => this.end(id)));
    return ids.length;
  }

  #freeId(): string {
    for (;;) {
      const id = randomBytes(ID_BYTES).toString('hex');
      if (!this.#unclosed.has(id)) return id;
    }
  }
}

/** Removes the characters that terminals and windows would not show as they are. */
function visible(text: string): string {
  return text.replace(/[^\x20-\x7e]/g, '').slice(0, MAX_CLIENT_CHARACTERS);
}
