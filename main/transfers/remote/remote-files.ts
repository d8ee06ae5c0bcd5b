import type { Client, FileEntryWithStats, SFTPWrapper, Stats } from 'ssh2';
import SftpClient from 'ssh2-sftp-client';
import { joinRemote } from './remote-path.ts';
import { hasCode, OverworldError } from '#shared/errors/overworld-error.ts';
import type { RemoteEntry } from '#shared/ipc/contract.ts';
import { byKindAndName, PERMISSION_BITS } from './entry.ts';
import { isUnsupported, toRemoteError } from './file-errors.ts';
import { isPartName, isPlainName } from './names.ts';
import { PendingRequests } from './pending-requests.ts';
import { PutChannel } from './put-channel.ts';
import type { WholeFile } from './put-packets.ts';
import { RemoteHandle } from './remote-handle.ts';
import type { RequestLog } from './request-log.ts';

/**
 * ssh2-sftp-client on a connection that stands already. It makes a connection of its own otherwise; its fields for
 * both are public in JavaScript, only its types do not name them.
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
 * File operations on the master over one SFTP channel. Rename, replace and delete are ssh2-sftp-client's; for the
 * rest ssh2's own channel is used, because the client loses mode bits and status codes there, and cannot be
 * cancelled in the middle of a file.
 */
export class RemoteFiles {
  readonly #client: AttachedSftpClient;
  readonly #channel: SFTPWrapper;
  readonly #pending: PendingRequests;
  /** Opened for the first small file; null: this master knows no such thing. */
  #puts: Promise<PutChannel | null> | null = null;
  /** Id of the connection profile whose master these files are on. */
  readonly connection: string;

  private constructor(client: Client, channel: SFTPWrapper, { connection, log }: ChannelOptions) {
    this.#client = new AttachedSftpClient(client, channel);
    this.#channel = channel;
    this.#pending = new PendingRequests(log);
    this.connection = connection;
    // Whichever comes first: a broken connection takes its channels along without a word.
    this.onClose(() => this.#pending.end());
  }

  /** Opens a channel on an SSH connection. Its end is the connection's. */
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
        // ssh2 throws at once on a connection that is gone.
        reject(new OverworldError('NOT_CONNECTED', { status: 'waiting' }, error));
      }
    });
  }

  /** Runs when the channel or its connection is gone, perhaps twice; pending operations fail by themselves. */
  onClose(listener: () => void): void {
    this.#channel.once('close', listener);
    this.#client.client.once('close', listener);
  }

  /** True when the channel is gone: what failed on it may be tried again on the next one. */
  get closed(): boolean {
    return this.#pending.ended;
  }

  /** Entries of a folder, folders first, then by name. Files on their way are left out. */
  async list(folder: string): Promise<RemoteEntry[]> {
    return (await this.listAll(folder)).filter(({ name }) => !isPartName(name)).sort(byKindAndName);
  }

  /** All entries of a folder, in no order. */
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

  /** What is at a path, links not followed; null when there is nothing. */
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

  async makeFolder(path: string, mode = 0o755): Promise<void> {
    await this.#pending.request<unknown>(
      path,
      (done) => this.#channel.mkdir(path, { mode }, done),
      `MKDIR ${path}`,
    );
  }

  /** Renames; fails where the new name exists (SFTP version 3's own rename). */
  async rename(from: string, to: string): Promise<void> {
    await this.#pending.guard(to, () => this.#client.rename(from, to), `RENAME ${from} to ${to}`);
  }

  /** Puts a file in the place of another in one step; on servers that cannot, the old one is deleted first. */
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
   * Sends a small file in one request: its destination is then the new file, whole.
   *
   * @returns false when this master cannot; nothing was done then
   * @throws OverworldError as the requests would that it replaces; the destination and its folder are as they were, or
   *   nobody knows when the connection was lost
   */
  async putWhole(file: WholeFile): Promise<boolean> {
    const { target, data } = file;
    this.#puts ??= PutChannel.open(this.#client.client);
    const channel = await this.#pending.guard(target, () => this.#puts ?? Promise.resolve(null));
    if (channel === null || channel.ended) return false;
    await this.#pending.guard(target, () => channel.put(file), `PUT ${target} (${data.length} bytes)`);
    return true;
  }

  /** Deletes a file or link. Nothing there is fine. */
  async deleteFile(path: string): Promise<void> {
    await this.#pending.guard(path, () => this.#client.delete(path, true), `REMOVE ${path}`);
  }

  async deleteEmptyFolder(path: string): Promise<void> {
    await this.#pending.request<unknown>(path, (done) => this.#channel.rmdir(path, done), `RMDIR ${path}`);
  }

  /** Sets permission bits; of a link those of what it points to. */
  async setMode(path: string, mode: number): Promise<void> {
    await this.#pending.request<unknown>(
      path,
      (done) => this.#channel.setstat(path, { mode }, done),
      `SETSTAT ${path} mode ${mode.toString(8)}`,
    );
  }

  /** @param flags `r`: to read; `r+`: one that exists, to read and write; `wx`: a new one, to write */
  async open(path: string, flags: 'r' | 'r+' | 'wx', mode = 0o600): Promise<RemoteHandle> {
    const handle = await this.#pending.request<Buffer>(
      path,
      (done) => this.#channel.open(path, flags, { mode }, done),
      `OPEN ${path} (${flags})`,
    );
    return new RemoteHandle(this.#channel, handle, { path, pending: this.#pending });
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

/** The file type bits of a Unix mode (inode(7)). */
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
