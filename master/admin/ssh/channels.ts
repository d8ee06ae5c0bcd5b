import type { Connection, ServerChannel, Session } from 'ssh2';
import { permits, type AuthorizedKey } from '#shared/model/role.ts';
import { RPC_SUBSYSTEM } from '#shared/rpc/contract.ts';
import { serveRpc, type RpcOptions } from '../rpc/serve-rpc.ts';
import type { FileArea } from '#master/files/sftp/file-area.ts';
import type { OnFileEvent } from '#master/files/sftp/file-event.ts';
import { serveSftp } from '#master/files/sftp/serve-sftp.ts';

/** Maximum number of open sessions of one connection. The app has one for the API and a few for transfers. */
const MAX_SESSIONS = 10;

export interface ChannelOptions extends RpcOptions {
  readonly fileArea: FileArea;
  readonly onFileEvent: OnFileEvent;
}

/**
 * Serves the channels of an authenticated client: the subsystems `overworld` and `sftp`. The library refuses
 * everything else (shell, commands, terminals, forwarding, X11, agents), because no listener handles it.
 */
export function serveChannels(client: Connection, key: AuthorizedKey, options: ChannelOptions): void {
  const open = new Map<Session, ServerChannel | undefined>();
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
        // A client that wants no reply cannot be refused; it gets no response.
        (rejectSubsystem as (() => void) | undefined)?.();
        return;
      }
      const channel = acceptSubsystem();
      open.set(session, channel);
      serve(channel);
    });
  });
  client.on('close', () => {
    for (const channel of open.values()) letGo(channel);
    open.clear();
  });
}

/**
 * Discards the unread data of a closed channel. The library reports the close only after everything received was
 * read, and a handler that has paused reading (back-pressure) would keep its files and subscriptions forever.
 */
function letGo(channel: ServerChannel | undefined): void {
  channel?.removeAllListeners('data');
  channel?.resume();
}

function subsystem(
  name: string,
  key: AuthorizedKey,
  options: ChannelOptions,
): ((channel: ServerChannel) => void) | undefined {
  if (name === 'sftp') return (channel) => serveSftp(channel, key, options);
  if (name === RPC_SUBSYSTEM && permits(key.role, 'viewer')) {
    return (channel) => {
      serveRpc(channel, key, options);
    };
  }
  return undefined;
}
