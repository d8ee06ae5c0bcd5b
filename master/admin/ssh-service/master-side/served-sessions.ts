import type { Duplex } from 'node:stream';
import type { FileEvent } from '#master/files/sftp/file-event.ts';
import { failure } from '#master/files/sftp/protocol/refusal.ts';
import type { ChannelUse } from '../../sessions.ts';
import type { SshSession } from '../../ssh/ssh-backend.ts';
import { ViewHandles } from './view-handles.ts';

/** Maximum number of channels of one session, as the SSH server has it. */
const MAX_CHANNELS = 10;

/** Number of ended sessions whose last changes of files are still taken. */
const MAX_ENDED = 1_000;

/** An open session of the SSH service, as the master sees it. */
export interface ServedSession {
  readonly session: SshSession;
  /** Null if the session shows no views. */
  readonly views: ViewHandles | null;
  readonly channels: Record<ChannelUse, (() => void)[]>;
  /** Streams of the admin API. */
  readonly api: Set<Duplex>;
}

/** The open sessions of one SSH service. It can name only sessions that the master has opened for it. */
export class ServedSessions {
  readonly #open = new Map<string, ServedSession>();
  /** Sessions that have ended, the most recent last. The service reports their unfinished uploads afterwards. */
  readonly #ended = new Map<string, SshSession>();

  add(session: SshSession): ServedSession {
    const views = session.views?.(session.key.templates);
    const served: ServedSession = {
      ...{ session, api: new Set(), channels: { api: [], sftp: [] } },
      views: views === undefined ? null : new ViewHandles(views),
    };
    this.#open.set(session.id, served);
    return served;
  }

  /** @throws Refusal if the session is not open */
  get(id: string): ServedSession {
    const served = this.#open.get(id);
    if (served === undefined) throw failure('The session has ended');
    return served;
  }

  /** Takes a change of a file that a session has made. @throws Refusal if there was no such session */
  changed(id: string, event: Omit<FileEvent, 'actor'>): void {
    const session = this.#open.get(id)?.session ?? this.#ended.get(id);
    if (session === undefined) throw failure('There was no such session');
    session.onFileEvent({ ...event, actor: session.key.name });
  }

  /** Returns the views of a session. @throws Refusal if the session is not open, or has none */
  views(id: string): ViewHandles {
    const { views } = this.get(id);
    if (views === null) throw failure('This session has no views');
    return views;
  }

  /** Counts a channel of a session as open, or as closed. @throws Refusal if the session is not open */
  channel(id: string, { use, isOpen }: { readonly use: ChannelUse; readonly isOpen: boolean }): void {
    const { session, channels } = this.get(id);
    if (!isOpen) channels[use].pop()?.();
    else if (channels[use].length < MAX_CHANNELS) channels[use].push(session.openChannel(use));
  }

  /** Serves the admin API of a session on a stream. @throws Refusal if the session is not open, or has too many channels */
  serveApi(id: string, stream: Duplex): void {
    const { session, api } = this.get(id);
    if (api.size >= MAX_CHANNELS) throw failure('Too many channels');
    api.add(stream);
    stream.on('close', () => api.delete(stream));
    session.serveApi(stream);
  }

  /** Ends a session, and everything that it has open. Does nothing if it is not open. */
  async end(id: string): Promise<void> {
    const served = this.#open.get(id);
    if (served === undefined) return;
    this.#open.delete(id);
    this.#ended.set(id, served.session);
    for (const oldest of this.#ended.keys()) if (this.#ended.size > MAX_ENDED) this.#ended.delete(oldest);
    for (const stream of served.api) stream.destroy();
    served.session.close();
    await served.views?.closeAll();
  }

  async endAll(): Promise<void> {
    await Promise.all([...this.#open.keys()].map((id) => this.end(id)));
  }
}
