import type { AuthorizedKey } from '#shared/model/access/role.ts';
import type { OnFileEvent } from '#master/files/sftp/file-event.ts';
import type { OpenViews } from '#master/files/sftp/views/view.ts';
import type { AccessEvents } from '../access-events.ts';
import type { KeyStore } from '../keys.ts';
import { serveRpc, type RpcOptions } from '../rpc/serve-rpc.ts';
import type { SessionRegistry } from '../sessions.ts';
import { checkOffer } from './check-offer.ts';
import type { KeyOffer, LoginClient, OfferAnswer, SshBackend, SshSession } from './ssh-backend.ts';

/**
 * Maximum number of sessions of one key. An admin's app uses one or two, and a file manager about ten. Without this
 * limit, one key could use up all connections of the SSH server, so that no other key could log in.
 */
const MAX_SESSIONS_OF_KEY = 32;

export interface DirectBackendOptions extends RpcOptions {
  readonly keys: KeyStore;
  /** The list to which each logged-in connection is added. */
  readonly sessions: SessionRegistry;
  /** Opens the views of a key; by default, there are none. */
  readonly views?: OpenViews | undefined;
  readonly onFileEvent: OnFileEvent;
  /** Returns whether keys with the role viewer may read the contents of files now. */
  readonly viewersRead: () => boolean;
  /** Records logins and refusals. */
  readonly access?: Pick<AccessEvents, 'loggedIn' | 'refused'>;
}

/** The backend of an SSH server that runs in the master's process. */
export interface DirectBackend extends SshBackend {
  /** Stops the listener that closes the sessions of removed keys. */
  close(): void;
}

/** Creates the backend. While it exists, the sessions of a key end when the key is removed or gets another limit. */
export function directBackend(options: DirectBackendOptions): DirectBackend {
  const { keys, sessions, access, log, viewersRead } = options;

  function open(key: AuthorizedKey, { address, software, hangUp }: LoginClient): SshSession {
    const session = sessions.open({ key, address, client: software, hangUp });
    const { name, role, templates } = key;
    log.info({ key: name, role, ip: address }, 'logged in');
    access?.loggedIn(key, address);
    return {
      ...session,
      key,
      views: options.views,
      onFileEvent: options.onFileEvent,
      serveApi: (channel) => {
        serveRpc(channel, { name, role, templates, session: session.id }, options);
      },
    };
  }

  const close = keys.onRevoked(async ({ fingerprint, name }) => {
    const ended = await sessions.endAllOf(fingerprint);
    if (ended > 0)
      log.info(
        { key: name, sessions: ended },
        'closed the sessions of a key that was removed or got another limit',
      );
  });
  return {
    login(offer: KeyOffer, client: LoginClient): OfferAnswer {
      const checked = checkOffer(keys, offer);
      if (checked.kind !== 'accepted') return checked;
      const why = client.whyFull?.() ?? null;
      if (why !== null) return { kind: 'refused', why };
      if (sessions.countOf(checked.key.fingerprint) >= MAX_SESSIONS_OF_KEY)
        return { kind: 'refused', why: `too many sessions of this key (at most ${MAX_SESSIONS_OF_KEY})` };
      return { kind: 'accepted', session: open(checked.key, client) };
    },
    refused: (address, why) => access?.refused(address, why),
    viewersRead,
    close,
  };
}
