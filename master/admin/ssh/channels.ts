import type { Connection, ServerChannel, Session } from 'ssh2';
import { permits, type AuthorizedKey } from '#shared/model/role.ts';
import { RPC_SUBSYSTEM } from '#shared/rpc/contract.ts';
import { serveRpc, type RpcOptions } from '../rpc/serve-rpc.ts';
import type { FileArea } from '../sftp/file-area.ts';
import type { OnFileEvent } from '../sftp/file-event.ts';
import { serveSftp } from '../sftp/serve-sftp.ts';

/** Open sessions of one connection: the app has one for the API and a few for transfers. */
const MAX_SESSIONS = 10;

export interface ChannelOptions extends RpcOptions {
  readonly fileArea: FileArea;
  readonly onFileEvent: OnFileEvent;
}

/**
 * Answers what an authenticated client opens: the subsystems `overworld` and `sftp`. All else (shell, commands,
 * terminals, forwarding in either direction, X11, agents) is refused by the library, as nothing listens for it.
 */
export function serveChannels(client: Connection, key: AuthorizedKey, options: ChannelOptions): void {
  let sessions = 0;
  client.on('session', (accept, reject) => {
    if (sessions >= MAX_SESSIONS) {
      reject();
      return;
    }
    sessions += 1;
    const session: Session = accept();
    session.on('close', () => {
      sessions -= 1;
    });
    session.on('subsystem', (acceptSubsystem, rejectSubsystem, { name }) => {
      const serve = subsystem(name, key, options);
      // There is no way to refuse when the client wants no reply; it then gets nothing at all.
      if (serve === undefined) (rejectSubsystem as (() => void) | undefined)?.();
      else serve(acceptSubsystem());
    });
  });
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
