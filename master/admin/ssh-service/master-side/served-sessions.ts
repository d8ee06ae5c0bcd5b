import type { Duplex } from 'node:stream';
import { mayWriteFiles } from '#shared/model/access/role.ts';
import { includesPath } from '#shared/model/access/template-limit.ts';
import { templateOfPath, type FileEvent } from '#master/files/sftp/file-event.ts';
import { failure, forbidden } from '#master/files/sftp/protocol/refusal.ts';
import type { ChannelUse } from '../../sessions.ts';
import type { SshSession } from '../../ssh/ssh-backend.ts';
import { MAX_SPAN_MS, ViewHandles, type HandleCount } from './view-handles.ts';

/** Maximum number of channels of one session. The SSH server has the same limit. */
const MAX_CHANNELS = 10;

/**
 * Maximum number of sessions: those of open connections, and those of closed connections whose requests are still in
 * progress.
 */
export const MAX_SESSIONS = 256;

/** An open session on the SSH service's port, as the master sees it. */
export interface ServedSession {
  readonly session: SshSession;
  /** Null if the session may see no views. */
  readonly views: ViewHandles | null;
  readonly channels: Record<ChannelUse, (() => void)[]>;
  /** Open streams on which the session uses the admin API. */
  readonly api: Set<Duplex>;
  /** Whether the session's connection is being closed. Requests in progress may still finish. */
  isClosing: boolean;
}

/** The open sessions of one SSH service. The service can only name sessions that the master has opened for it. */
export class ServedSessions {
  readonly #open = new Map<string, ServedSession>();
  readonly #handles: HandleCount = { open: 0 };

  /** Whether the maximum number of sessions is reached. */
  get isFull(): boolean {
    return this.#open.size >= MAX_SESSIONS;
  }

  add(session: SshSession): ServedSession {
    const views = session.views?.(session.key.templates);
    const served: ServedSession = {
      session,
      api: new Set(),
      channels: { api: [], sftp: [] },
      isClosing: false,
      views: views === undefined ? null : new ViewHandles(views, { count: this.#handles }),
    };
    this.#open.set(session.id, served);
    return served;
  }

  /** @throws Refusal if the session is not open, or its connection is being closed */
  get(id: string): ServedSession {
    const served = this.#open.get(id);
    if (served === undefined || served.isClosing) throw failure('The session has ended');
    return served;
  }

  /**
   * Reports a change of a file that a session has made.
   *
   * @throws Refusal if the session is not open, or if its key may not change the file
   */
  changed(id: string, event: Omit<FileEvent, 'actor' | 'template'>): void {
    const session = this.#open.get(id)?.session;
    if (session === undefined) throw failure('The session has ended');
    const { name, role, templates } = session.key;
    const paths = event.to === undefined ? [event.path] : [event.path, event.to];
    if (!mayWriteFiles(role) || !paths.every((path) => isFile(path) && includesPath(templates, path)))
      throw forbidden('The key of this session cannot change this file');
    session.onFileEvent({ ...event, template: templateOfPath(event.path), actor: name });
  }

  /** Returns the views of a session. @throws Refusal as {@link get}; also if the session has no views */
  views(id: string): ViewHandles {
    return viewsOf(this.get(id));
  }

  /**
   * Returns the views of a session, even while its connection is being closed, so that changes and writes in progress
   * can finish.
   *
   * @throws Refusal if the session is not open, or has no views
   */
  viewsToEnd(id: string): ViewHandles {
    return viewsOf(this.#open.get(id));
  }

  /**
   * Notes that a channel of a session was opened or closed.
   *
   * @throws Refusal if the session is not open
   */
  channel(id: string, { use, isOpen }: { readonly use: ChannelUse; readonly isOpen: boolean }): void {
    const { session, channels } = this.get(id);
    if (!isOpen) channels[use].pop()?.();
    else if (channels[use].length < MAX_CHANNELS) channels[use].push(session.openChannel(use));
  }

  /**
   * Serves the admin API of a session on a stream.
   *
   * @throws Refusal if the session is not open, or has too many channels
   */
  serveApi(id: string, stream: Duplex): void {
    const { session, api } = this.get(id);
    if (api.size >= MAX_CHANNELS) throw failure('Too many channels');
    api.add(stream);
    stream.on('close', () => api.delete(stream));
    session.serveApi(stream);
  }

  /**
   * Ends the admin API of a session whose connection is being closed, and prevents new requests. Changes and writes
   * in progress go on until the service reports that the session has ended, at most {@link MAX_SPAN_MS}.
   */
  startClosing(id: string): void {
    const served = this.#open.get(id);
    if (served === undefined || served.isClosing) return;
    served.isClosing = true;
    for (const stream of served.api) stream.destroy();
    setTimeout(() => void this.end(id), MAX_SPAN_MS).unref();
  }

  /** Ends a session, and closes everything that it has open. Does nothing if the session is not open. */
  async end(id: string): Promise<void> {
    const served = this.#open.get(id);
    if (served === undefined) return;
    this.#open.delete(id);
    for (const stream of served.api) stream.destroy();
    served.session.close();
    await served.views?.closeAll();
  }

  async endAll(): Promise<void> {
    await Promise.all([...this.#open.keys()].map((id) => this.end(id)));
  }
}

function viewsOf(served: ServedSession | undefined): ViewHandles {
  if (served === undefined) throw failure('The session has ended');
  if (served.views === null) throw failure('This session has no views');
  return served.views;
}

/** Returns whether a text is the canonical path of a file that clients may be able to change. */
function isFile(path: string): boolean {
  const [top, area, ...names] = path.split('/');
  if (top !== '' || !['templates', 'files', 'volumes'].includes(area ?? '') || names.length === 0)
    return false;
  return names.every((name) => !['', '.', '..'].includes(name) && !name.includes('\0'));
}
