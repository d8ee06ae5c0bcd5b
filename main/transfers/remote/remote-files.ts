import type { Client, FileEntryWithStats, SFTPWrapper, Stats } from 'ssh2';
import SftpClient from 'ssh2-sftp-client';
import { joinRemote } from './remote-path.ts';
import { hasCode, OverworldError } from '#shared/errors/overworld-error.ts';
import type { RemoteEntry } from '#shared/ipc/contract.ts';
import { Slots } from '#shared/node/slots.ts';
import { byKindAndName, PERMISSION_BITS } from './entry.ts';
import { isUnsupported, toRemoteError } from './file-errors.ts';
import { isPartName, isPlainName } from './names.ts';
import { PendingRequests } from './pending-requests.ts';
import { PutChannel } from './put-channel.ts';
import type { WholeFile } from './put-packets.ts';
import { RemoteHandle } from './remote-handle.ts';
import type { RequestLog } from './request-log.ts';

/**
 * An ssh2-sftp-client on an existing SSH connection, because the library itself would open another one. The two
 * fields are public in JavaScript but missing in the library's types.
 */
class AttachedSftpClient extends SftpClient {
  declare client: Client;
  declare sftp: SFTPWrapper | undefined;

  constructor(client: Client, channel: SFTPWrapper) {
    super('overworld', {});
    this.client = client;
    this.sftp = channel;
  }
}

interface ChannelOptions {
  /** Id of the connection profile. */
  readonly connection: string;
  readonly log: RequestLog;
}

/**
 * Maximum number of files that are open at the same time on one channel. The master refuses more than 256 open files
 * and folders of a session (master/files/sftp/handles.ts); listings of folders need the rest.
 */
const MAX_OPEN_FILES = 200;

/**
 * File operations on the master over one SFTP channel. Rename, replace and delete use ssh2-sftp-client. All other
 * operations use ssh2's channel directly. With ssh2-sftp-client, they would lose mode bits and status codes, and
 * could not be cancelled in the middle of a file.
 */
export class RemoteFiles {
  readonly #client: AttachedSftpClient;
  readonly #channel: SFTPWrapper;
  readonly #pending: PendingRequests;
  readonly #openFiles = new Slots(MAX_OPEN_FILES);
  /**
   * Channel for small files. Null until the first upload. Resolves to null if the master does not support such a
   * channel.
   */
  #puts: Promise<PutChannel | null> | null = null;
  /** Id of the connection profile of the master that has these files. */
  readonly connection: string;

  private constructor(client: Client, channel: SFTPWrapper, { connection, log }: ChannelOptions) {
    this.#client = new AttachedSftpClient(client, channel);
    this.#channel = channel;
    this.#pending = new PendingRequests(log);
    this.connection = connection;
    // A broken connection closes its channels without their own events, so `onClose` watches both.
    this.onClose(() => this.#pending.end());
  }

  /**
   * Opens a channel on an SSH connection. The channel closes with the connection.
   *
   * @throws OverworldError NOT_CONNECTED if the connection is closed, or as {@link toRemoteError} creates it
   */
  static open(client: Client, options: ChannelOptions): Promise<RemoteFiles> {
    return new Promise((resolve, reject) => {
      const onClose = () => reject(new OverworldError('NOT_CONNECTED', { status: 'waiting' }));
      client.once('close', onClose);
      try {
        client.sftp((error, channel) => {
          client.off('close', onClose);
          if (error === undefined) resolve(new RemoteFiles(client, channel, options));
          else reject(toRemoteError(error, '/'));
        });
      } catch (error) {
        // ssh2 throws synchronously on a closed connection.
        reject(new OverworldError('NOT_CONNECTED', { status: 'waiting' }, error));
      }
    });
  }

  /**
   * Registers a listener for the close of the channel or its connection. The listener may be called twice. Pending
   * operations fail without the listener's help.
   */
  onClose(listener: () => void): void {
    this.#channel.once('close', listener);
    this.#client.client.once('close', listener);
  }

  /** Whether the channel is closed. A request that failed because of the close may be retried on the next channel. */
  get closed(): boolean {
    return this.#pending.ended;
  }

  /**
   * Lists a folder: folders first, then by name. Leaves out partial files.
   *
   * @throws OverworldError FILE_NOT_FOUND, FILE_FORBIDDEN, TRANSFER_FAILED
   */
  async list(folder: string): Promise<RemoteEntry[]> {
    return (await this.listAll(folder)).filter(({ name }) => !isPartName(name)).sort(byKindAndName);
  }

  /**
   * Lists all entries of a folder in no particular order. Leaves out names that would lead to another folder.
   *
   * @throws as {@link list}
   */
  async listAll(folder: string): Promise<RemoteEntry[]> {
    const entries = await this.#pending.request<FileEntryWithStats[]>(
      folder,
      (done) => this.#channel.readdir(folder, done),
      `READDIR ${folder}`,
    );
    return entries
      .filter(({ filename }) => isPlainName(filename))
      .map(({ filename, attrs }) => toEntry(filename, joinRemote(folder, filename), attrs));
  }

  /**
   * Returns the entry at a path without following links. Null if it does not exist.
   *
   * @throws OverworldError FILE_FORBIDDEN, TRANSFER_FAILED
   */
  async find(path: string): Promise<RemoteEntry | null> {
    try {
      const stats = await this.#pending.request<Stats>(
        path,
        (done) => this.#channel.lstat(path, done),
        `LSTAT ${path}`,
      );
      return toEntry(path.slice(path.lastIndexOf('/') + 1), path, stats);
    } catch (error) {
      if (hasCode(error, 'FILE_NOT_FOUND')) return null;
      throw error;
    }
  }

  /** Creates one folder, whose parent must exist. @throws OverworldError as {@link toRemoteError} creates it */
  async makeFolder(path: string, mode = 0o755): Promise<void> {
    await this.#pending.request<unknown>(
      path,
      (done) => this.#channel.mkdir(path, { mode }, done),
      `MKDIR ${path}`,
    );
  }

  /** Renames an entry. Fails if the new name exists (SFTP version 3's own rename). */
  async rename(from: string, to: string): Promise<void> {
    await this.#pending.guard(to, () => this.#client.rename(from, to), `RENAME ${from} to ${to}`);
  }

  /**
   * Replaces the file at `to` with the file at `from`, atomically (`posix-rename@openssh.com`). On servers without
   * that extension, the file at `to` is deleted first.
   */
  async replace(from: string, to: string): Promise<void> {
    const rename = async () => {
      try {
        await this.#client.posixRename(from, to);
      } catch (error) {
        if (!isUnsupported(error)) throw error;
        await this.#client.delete(to, true);
        await this.#client.rename(from, to);
      }
    };
    await this.#pending.guard(to, rename, `REPLACE ${to} by ${from}`);
  }

  /**
   * Uploads a small file in one request. Afterwards the destination is the complete new file.
   *
   * @returns false if this master does not support the request; nothing was done then
   * @throws OverworldError the same errors as the separate requests; the destination is then unchanged, except that
   *   its state is unknown if the connection was lost
   */
  async putWhole(file: WholeFile): Promise<boolean> {
    const { target, data } = file;
    this.#puts ??= PutChannel.open(this.#client.client);
    const channel = await this.#pending.guard(target, () => this.#puts ?? Promise.resolve(null));
    if (channel === null || channel.ended) return false;
    await this.#pending.guard(target, () => channel.put(file), `PUT ${target} (${data.length} bytes)`);
    return true;
  }

  /** Deletes a file or link. Does nothing if it does not exist. */
  async deleteFile(path: string): Promise<void> {
    await this.#pending.guard(path, () => this.#client.delete(path, true), `REMOVE ${path}`);
  }

  /** Deletes an empty folder. @throws OverworldError as {@link toRemoteError} creates it */
  async deleteEmptyFolder(path: string): Promise<void> {
    await this.#pending.request<unknown>(path, (done) => this.#channel.rmdir(path, done), `RMDIR ${path}`);
  }

  /** Sets permission bits. If the path is a link, sets the bits of its target. */
  async setMode(path: string, mode: number): Promise<void> {
    await this.#pending.request<unknown>(
      path,
      (done) => this.#channel.setstat(path, { mode }, done),
      `SETSTAT ${path} mode ${mode.toString(8)}`,
    );
  }

  /**
   * Opens a file, once fewer than {@link MAX_OPEN_FILES} are open. The caller must close the handle.
   *
   * @param flags `r`: read; `r+`: read and write an existing file; `wx`: write a new file
   */
  async open(path: string, flags: 'r' | 'r+' | 'wx', mode = 0o600): Promise<RemoteHandle> {
    const release = await this.#openFiles.acquire();
    try {
      const handle = await this.#pending.request<Buffer>(
        path,
        (done) => this.#channel.open(path, flags, { mode }, done),
        `OPEN ${path} (${flags})`,
      );
      return new RemoteHandle(this.#channel, handle, { path, pending: this.#pending, onClosed: release });
    } catch (error) {
      release();
      throw error;
    }
  }
}

function toEntry(name: string, path: string, attributes: Stats): RemoteEntry {
  const { size, mtime, mode } = attributes;
  return {
    name,
    path,
    kind: kindOf(attributes),
    bytes: size,
    modifiedAt: mtime * 1000,
    mode: mode & PERMISSION_BITS,
  };
}

/** Returns the kind from the file type bits of a Unix mode (inode(7)). */
function kindOf({ mode }: Pick<Stats, 'mode'>): RemoteEntry['kind'] {
  switch (mode & 0o170000) {
    case 0o100000:
      return 'file';
    case 0o040000:
      return 'folder';
    case 0o120000:
      return 'link';
    default:
      return 'other';
  }
}
