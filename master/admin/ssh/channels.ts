import { setTimeout as delay } from 'node:timers/promises';
import type { Connection, ServerChannel, Session } from 'ssh2';
import type { BaseLogger } from 'pino';
import { permits } from '#shared/model/access/role.ts';
import { guardWindow } from '#shared/node/window-guard.ts';
import { RPC_SUBSYSTEM } from '#shared/rpc/contract.ts';
import type { ChannelUse } from '../sessions.ts';
import type { FileArea } from '#master/files/sftp/jail/file-area.ts';
import { serveSftp } from '#master/files/sftp/serve-sftp.ts';
import type { SshSession } from './ssh-backend.ts';

/** Maximum number of open channels of one connection. The app has one for the API and a few for transfers. */
const MAX_SESSIONS = 10;

/**
 * Maximum time for the requests of a client that has disconnected to finish (ms). Until then, its session stays open.
 */
const MAX_CLEAN_UP_MS = 60_000;

export interface ChannelOptions {
  readonly fileArea: FileArea;
  /** Returns whether keys with the role viewer may read the contents of files now. */
  readonly viewersRead: () => boolean;
  readonly log: BaseLogger;
}

interface ConnectionOptions extends ChannelOptions {
  readonly session: SshSession;
  /** Called when the client sends more data than a channel's window allows. Must end the connection. */
  readonly onOverrun: () => void;
}

/** An open channel, and what serves it. */
interface Serving {
  readonly channel: ServerChannel;
  readonly onClose: () => void;
  readonly end: EndServing;
}

/** Ends the serving of a channel. Resolves when none of its requests is in progress. */
type EndServing = () => Promise<void>;

interface Subsystem {
  readonly use: ChannelUse;
  readonly start: (channel: ServerChannel) => EndServing;
}

/**
 * Serves the channels of an authenticated client: the subsystems `overworld` and `sftp`. The library refuses all
 * other requests (shell, commands, terminals, forwarding, X11, agents), because no listener handles them.
 *
 * @returns resolves when the client has disconnected, its requests have finished, and its session is closed
 */
export function serveChannels(client: Connection, options: ConnectionOptions): Promise<void> {
  const open = new Map<Session, Serving | undefined>();
  const ending = new Set<Promise<void>>();
  const letGo = (serving: Serving | undefined): void => {
    if (serving === undefined) return;
    const ended = discard(serving).finally(() => ending.delete(ended));
    ending.add(ended);
  };
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
      const serve = open.get(session) === undefined ? subsystem(name, options) : undefined;
      if (serve === undefined) {
        // If the client did not request a reply, the function is missing, and no refusal can be sent.
        (rejectSubsystem as (() => void) | undefined)?.();
        return;
      }
      const channel = acceptSubsystem();
      guardWindow(channel, options.onOverrun);
      const onClose = options.session.openChannel(serve.use);
      open.set(session, { channel, onClose, end: serve.start(channel) });
    });
  });
  return new Promise((resolve) => {
    client.on('close', () => {
      for (const serving of open.values()) letGo(serving);
      open.clear();
      const all = Promise.all(ending);
      void Promise.race([all, delay(MAX_CLEAN_UP_MS, undefined, { ref: false })]).then(() => {
        options.session.close();
        resolve();
      });
    });
  });
}

/**
 * Ends the serving of a closed channel, and discards its unread data. The library reports the close only after all
 * received data was read. A handler that has paused reading (back-pressure) would otherwise keep its files and
 * subscriptions open forever.
 */
function discard({ channel, onClose, end }: Serving): Promise<void> {
  onClose();
  channel.removeAllListeners('data');
  channel.resume();
  return end();
}

function subsystem(name: string, { session, ...options }: ConnectionOptions): Subsystem | undefined {
  const { key, views, onFileEvent } = session;
  if (name === 'sftp') {
    return { use: 'sftp', start: (channel) => serveSftp(channel, key, { ...options, views, onFileEvent }) };
  }
  if (name === RPC_SUBSYSTEM && permits(key.role, 'viewer')) {
    return { use: 'api', start: (channel) => serveApi(session, channel) };
  }
  return undefined;
}

function serveApi(session: SshSession, channel: ServerChannel): EndServing {
  session.serveApi(channel);
  return () => Promise.resolve();
}
