import type { Duplex } from 'node:stream';
import { mayWriteFiles } from '#shared/model/access/role.ts';
import { includesPath } from '#shared/model/access/template-limit.ts';
import { templateOfPath, type FileEvent } from '#master/files/sftp/file-event.ts';
import { failure, forbidden } from '#master/files/sftp/protocol/refusal.ts';
import type { ChannelUse } from '../../sessions.ts';
import type { SshSession } from '../../ssh/ssh-backend.ts';
import { MAX_SPAN_MS, ViewHandles, type HandleCount } from './view-handles.ts';

/** Maximum number of channels of one session, as the SSH server has it. */
const MAX_CHANNELS = 10;

/**
 * Maximum number of sessions: the connections of the SSH server, and those that it has closed and still cleans up.
 */
const MAX_SESSIONS = 256;

/** An open session of the SSH service, as the master sees it. */
export interface ServedSession {
  readonly session: SshSession;
  /** Null if the session shows no views. */
  readonly views: ViewHandles | null;
  readonly channels: Record<ChannelUse, (() => void)[]>;
  /** Streams of the admin API. */
  readonly api: Set<Duplex>;
  /** Whether its connection is being closed. What has begun may end. */
  isClosing: boolean;
}

/** The open sessions of one SSH service. It can name only sessions that the master has opened for it. */
export class ServedSessions {
  readonly #open = new Map<string, ServedSession>();
  readonly #handles: HandleCount = { open: 0 };

  /** Whether no further session can be opened. */
  get isFull(): boolean {
    return this.#open.size >= MAX_SESSIONS;
  }

  add(session: SshSession): ServedSession {
    const views = session.views?.(session.key.templates);
    const served: ServedSession = {
      ...{ session, api: new Set(), channels: { api: [], sftp: [] }, isClosing: false },
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
   * Takes a change of a file that a session has made.
   *
   * @throws Refusal if the session is not open, or its key cannot make the change
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

  /** Returns the views of a session. @throws Refusal like {@link get}, or if it has none */
  views(id: string): ViewHandles {
    return viewsOf(this.get(id));
  }

  /**
   * Returns the views of a session, also while its connection is being closed, so that what has begun can end.
   * @throws Refusal
   */
  viewsToEnd(id: string): ViewHandles {
    return viewsOf(this.#open.get(id));
  }

  /**
   * Counts a channel of a session as open, or as closed.
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
   * Ends the admin API of a session whose connection is being closed, and lets it begin nothing more. What it writes
   * is still in progress until the service reports that it has ended.
   */
  startClosing(id: string): void {
    const served = this.#open.get(id);
    if (served === undefined || served.isClosing) return;
    served.isClosing = true;
    for (const stream of served.api) stream.destroy();
    setTimeout(() => void this.end(id), MAX_SPAN_MS).unref();
  }

  /** Ends a session, and everything that it has open. Does nothing if it is not open. */
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

/** Returns whether a text is the canonical path of a file that clients can change. */
function isFile(path: string): boolean {
  const [top, area, ...names] = path.split('/');
  if (top !== '' || !['templates', 'files', 'volumes'].includes(area ?? '') || names.length === 0)
    return false;
  return names.every((name) => !['', '.', '..'].includes(name) && !name.includes('\0'));
}
