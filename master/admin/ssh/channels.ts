import type { Connection, ServerChannel, Session } from 'ssh2';
import { permits, type AuthorizedKey } from '#shared/model/access/role.ts';
import { guardWindow } from '#shared/node/window-guard.ts';
import { RPC_SUBSYSTEM } from '#shared/rpc/contract.ts';
import { serveRpc, type RpcOptions } from '../rpc/serve-rpc.ts';
import type { ChannelUse, OpenSession } from '../sessions.ts';
import type { FileArea } from '#master/files/sftp/jail/file-area.ts';
import type { OnFileEvent } from '#master/files/sftp/file-event.ts';
import type { OpenViews } from '#master/files/sftp/views/view.ts';
import { serveSftp } from '#master/files/sftp/serve-sftp.ts';

/**
 * Maximum number of open sessions (SSH channels) of one connection. The app has one for the API and a few for
 * transfers.
 */
const MAX_SESSIONS = 10;

export interface ChannelOptions extends RpcOptions {
  readonly fileArea: FileArea;
  /** Opens the views of a key; by default, there are none. */
  readonly views?: OpenViews | undefined;
  readonly onFileEvent: OnFileEvent;
  /** Returns whether keys with the role viewer may read the contents of files now. */
  readonly viewersRead: () => boolean;
}

interface ConnectionOptions extends ChannelOptions {
  readonly session: OpenSession;
  /** Called when the client sends more data than a channel's window allows. Must end the connection. */
  readonly onOverrun: () => void;
}

/** A channel that a subsystem serves. */
interface Serving {
  readonly channel: ServerChannel;
  readonly onClose: () => void;
}

interface Subsystem {
  readonly use: ChannelUse;
  readonly start: (channel: ServerChannel) => void;
}

/**
 * Serves the channels of an authenticated client: the subsystems `overworld` and `sftp`. The library refuses all
 * other requests (shell, commands, terminals, forwarding, X11, agents), because no listener handles them.
 */
export function serveChannels(client: Connection, key: AuthorizedKey, options: ConnectionOptions): void {
  const open = new Map<Session, Serving | undefined>();
  client.on('session', (accept, reject) => {
    if (open.size >= MAX_SESSIONS) {
      reject();
      return;
    }
    const session: Session = accept();
    open.set(session, undefined);
    session.on('close', () => {
      letGo(open.get(session));
      open.delete(session);
    });
    session.on('subsystem', (acceptSubsystem, rejectSubsystem, { name }) => {
      const serve = open.get(session) === undefined ? subsystem(name, key, options) : undefined;
      if (serve === undefined) {
        // A client that did not request a reply gets none, so the refusal cannot be sent.
        (rejectSubsystem as (() => void) | undefined)?.();
        return;
      }
      const channel = acceptSubsystem();
      guardWindow(channel, options.onOverrun);
      open.set(session, { channel, onClose: options.session.openChannel(serve.use) });
      serve.start(channel);
    });
  });
  client.on('close', () => {
    for (const serving of open.values()) letGo(serving);
    open.clear();
    options.session.close();
  });
}

/**
 * Discards the unread data of a closed channel. The library reports the close only after all received data was
 * read. A handler that has paused reading (back-pressure) would otherwise keep its files and subscriptions open
 * forever.
 */
function letGo(serving: Serving | undefined): void {
  serving?.onClose();
  serving?.channel.removeAllListeners('data');
  serving?.channel.resume();
}

function subsystem(name: string, key: AuthorizedKey, options: ConnectionOptions): Subsystem | undefined {
  if (name === 'sftp') return { use: 'sftp', start: (channel) => serveSftp(channel, key, options) };
  if (name === RPC_SUBSYSTEM && permits(key.role, 'viewer')) {
    const { name: keyName, role, templates } = key;
    const identity = { name: keyName, role, templates, session: options.session.id };
    return {
      use: 'api',
      start: (channel) => {
        serveRpc(channel, identity, options);
      },
    };
  }
  return undefined;
}
