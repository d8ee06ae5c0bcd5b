import type { Client, FileEntryWithStats, InputAttributes, SFTPWrapper, Stats } from 'ssh2';
import SftpClient from 'ssh2-sftp-client';
import { OverworldError } from '#shared/errors/overworld-error.ts';
import type { RemoteEntry } from '#shared/ipc/contract.ts';
import { isEndOfFile, isMissing, isUnsupported, toRemoteError } from './file-errors.ts';
import { isPartName, isPlainName } from './names.ts';

const PERMISSION_BITS = 0o7777;

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

/**
 * File operations on the master over one SFTP channel. Rename, replace and delete are ssh2-sftp-client's; for the
 * rest ssh2's own channel is used, because the client loses mode bits and status codes there, and cannot be
 * cancelled in the middle of a file.
 */
export class RemoteFiles {
  readonly #client: AttachedSftpClient;
  readonly #channel: SFTPWrapper;

  private constructor(client: Client, channel: SFTPWrapper) {
    this.#client = new AttachedSftpClient(client, channel);
    this.#channel = channel;
  }

  /** Opens a channel on an SSH connection. Its end is the connection's. */
  static open(client: Client): Promise<RemoteFiles> {
    return new Promise((resolve, reject) => {
      const onClose = () => reject(new OverworldError('NOT_CONNECTED', { status: 'waiting' }));
      client.once('close', onClose);
      client.sftp((error, channel) => {
        client.off('close', onClose);
        if (error === undefined) resolve(new RemoteFiles(client, channel));
        else reject(toRemoteError(error, '/'));
      });
    });
  }

  /** Runs when the channel is gone; its pending operations fail by themselves. */
  onClose(listener: () => void): void {
    this.#channel.once('close', listener);
  }

  /** Entries of a folder, folders first, then by name. Files on their way are left out. */
  async list(folder: string): Promise<RemoteEntry[]> {
    return (await this.listAll(folder)).filter(({ name }) => !isPartName(name)).sort(byKindAndName);
  }

  /** All entries of a folder, in no order. */
  async listAll(folder: string): Promise<RemoteEntry[]> {
    const entries = await this.#run<FileEntryWithStats[]>(folder, (done) =>
      this.#channel.readdir(folder, done),
    );
    return entries
      .filter(({ filename }) => isPlainName(filename))
      .map(({ filename, attrs }) => toEntry(filename, joinRemote(folder, filename), attrs));
  }

  /** What is at a path, links not followed; null when there is nothing. */
  async find(path: string): Promise<RemoteEntry | null> {
    try {
      const stats = await new Promise<Stats>((resolve, reject) => {
        this.#channel.lstat(path, (error, found) => (error === undefined ? resolve(found) : reject(error)));
      });
      return toEntry(path.slice(path.lastIndexOf('/') + 1), path, stats);
    } catch (error) {
      if (isMissing(error)) return null;
      throw toRemoteError(error, path);
    }
  }

  async makeFolder(path: string, mode = 0o755): Promise<void> {
    await this.#run<unknown>(path, (done) => this.#channel.mkdir(path, { mode }, done));
  }

  /** Renames; fails where the new name exists (SFTP version 3's own rename). */
  async rename(from: string, to: string): Promise<void> {
    await remotely(to, () => this.#client.rename(from, to));
  }

  /** Puts a file in the place of another in one step; on servers that cannot, the old one is deleted first. */
  async replace(from: string, to: string): Promise<void> {
    try {
      await this.#client.posixRename(from, to);
    } catch (error) {
      if (!isUnsupported(error)) throw toRemoteError(error, to);
      await remotely(to, () => this.#client.delete(to, true));
      await this.rename(from, to);
    }
  }

  /** Deletes a file or link. Nothing there is fine. */
  async deleteFile(path: string): Promise<void> {
    await remotely(path, () => this.#client.delete(path, true));
  }

  async deleteEmptyFolder(path: string): Promise<void> {
    await this.#run<unknown>(path, (done) => this.#channel.rmdir(path, done));
  }

  /** @param flags `r`: to read; `wx`: a new one, to write */
  async open(path: string, flags: 'r' | 'wx', mode = 0o600): Promise<RemoteHandle> {
    const handle = await this.#run<Buffer>(path, (done) => this.#channel.open(path, flags, { mode }, done));
    return new RemoteHandle(this.#channel, path, handle);
  }

  #run<T>(path: string, start: (done: Done<T>) => void): Promise<T> {
    return request(path, start);
  }
}

/** An open file on the master. */
export class RemoteHandle {
  readonly #channel: SFTPWrapper;
  readonly #path: string;
  readonly #handle: Buffer;

  constructor(channel: SFTPWrapper, path: string, handle: Buffer) {
    this.#channel = channel;
    this.#path = path;
    this.#handle = handle;
  }

  /** Fills the buffer from a place in the file. @returns bytes read, fewer only at the file's end */
  async readAt(buffer: Buffer, position: number): Promise<number> {
    let filled = 0;
    while (filled < buffer.length) {
      const bytes = await this.#readSome(buffer.subarray(filled), position + filled);
      if (bytes === 0) break;
      filled += bytes;
    }
    return filled;
  }

  async writeAt(buffer: Buffer, position: number): Promise<void> {
    await request<unknown>(this.#path, (done) => {
      this.#channel.write(this.#handle, buffer, 0, buffer.length, position, done);
    });
  }

  async stat(): Promise<Stats> {
    return request<Stats>(this.#path, (done) => this.#channel.fstat(this.#handle, done));
  }

  async setAttributes(attributes: InputAttributes): Promise<void> {
    await request<unknown>(this.#path, (done) => this.#channel.fsetstat(this.#handle, attributes, done));
  }

  async close(): Promise<void> {
    await request<unknown>(this.#path, (done) => this.#channel.close(this.#handle, done));
  }

  #readSome(buffer: Buffer, position: number): Promise<number> {
    return new Promise((resolve, reject) => {
      this.#channel.read(this.#handle, buffer, 0, buffer.length, position, (error, bytes) => {
        if (error === undefined) resolve(bytes);
        else if (isEndOfFile(error)) resolve(0);
        else reject(toRemoteError(error, this.#path));
      });
    });
  }
}

type Done<T> = (error?: Error | null, value?: T) => void;

/** One request as a promise. ssh2 throws at once when its channel is gone; that is a rejection like any other. */
function request<T>(path: string, start: (done: Done<T>) => void): Promise<T> {
  return new Promise<T>((resolve, reject) => {
    start((error, value) => {
      // ssh2 gives a value with every success that has one.
      if (error === undefined || error === null) resolve(value as T);
      else reject(error);
    });
  }).catch((error: unknown) => {
    throw toRemoteError(error, path);
  });
}

async function remotely(path: string, operation: () => Promise<unknown>): Promise<void> {
  try {
    await operation();
  } catch (error) {
    throw toRemoteError(error, path);
  }
}

/** A path on the master: always with slashes. */
export function joinRemote(folder: string, name: string): string {
  return folder.endsWith('/') ? `${folder}${name}` : `${folder}/${name}`;
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

function byKindAndName(a: RemoteEntry, b: RemoteEntry): number {
  const folders = Number(b.kind === 'folder') - Number(a.kind === 'folder');
  return folders === 0 ? a.name.localeCompare(b.name, 'en', { numeric: true }) : folders;
}
