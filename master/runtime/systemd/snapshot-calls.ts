import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createWriteStream, type WriteStream } from 'node:fs';
import { rename } from 'node:fs/promises';
import { join } from 'node:path';
import { OverworldError } from '#shared/errors/overworld-error.ts';
import type { ServiceId } from '#shared/model/service.ts';
import type { KeptFile } from '#master/templates/revisions/manifest.ts';
import type { SnapshotFiles } from '../runtime.ts';
import { NodeCalls } from './node-calls.ts';
import { doneAnswer, snapshotAnswer, takeAnswer } from './tool-answers.ts';

/** Time limit for copying or hashing the changed files of a service (ms); large worlds on a slow disk take long. */
const LONG_CALL_MS = 600_000;

/** Time without any data after which a transfer fails (ms). */
const STALLED_MS = 60_000;

/** Calls of the node tool about snapshots of persistent files (tool/volumes). */
export class SnapshotCalls extends NodeCalls {
  /** Takes a snapshot of a service's persistent files on the node (`Runtime.takeSnapshot`), within 10 min. */
  async take(id: ServiceId): Promise<boolean> {
    const call = { command: 'take', what: `copy the files of ${id}`, request: { id }, answer: takeAnswer };
    return (await this.call({ ...call, timeoutMs: LONG_CALL_MS })).found;
  }

  /** Returns the files of the last snapshot with their hashes (`Runtime.readSnapshot`), within 10 min. */
  read(id: ServiceId): Promise<SnapshotFiles> {
    const call = {
      command: 'read',
      what: `read the files of ${id}`,
      request: { id },
      answer: snapshotAnswer,
    };
    return this.call({ ...call, timeoutMs: LONG_CALL_MS });
  }

  /** Ends the last snapshot after its files were stored (`Runtime.endSnapshot`). */
  async end(id: ServiceId): Promise<void> {
    await this.call({
      command: 'end',
      what: `remove the copied files of ${id}`,
      request: { id },
      answer: doneAnswer,
    });
  }

  /**
   * Transfers contents of the last snapshot into a folder, each under its hash, and verifies the hashes
   * (`Runtime.fetchSnapshot`). Sends no request if `files` is empty. Fails if no data arrives for 60 s.
   *
   * @throws OverworldError NODE_UNREACHABLE if the connection is lost, NODE_TOOL_FAILED
   */
  async fetch(
    id: ServiceId,
    files: readonly Pick<KeptFile, 'hash' | 'size'>[],
    folder: string,
  ): Promise<void> {
    if (files.length === 0) return;
    const command = await this.tool.stream('send', { id, hashes: files.map(({ hash }) => hash) });
    const receiver = new Receiver(files, folder);
    let timer: NodeJS.Timeout | undefined;
    const isAlive = (): void => {
      clearTimeout(timer);
      timer = setTimeout(() => command.close(), STALLED_MS);
    };
    try {
      isAlive();
      for await (const chunk of command.stdout) {
        isAlive();
        // The stream has no encoding, so its chunks are buffers.
        await receiver.add(chunk as Buffer);
      }
      await receiver.end();
    } catch (error) {
      await receiver.cancel();
      throw this.failed(toTransfer(id), error instanceof Error ? error.message : String(error), error);
    } finally {
      clearTimeout(timer);
      command.close();
    }
    const result = await command.ended;
    if (!receiver.isComplete) throw this.#cutOff(id, result?.stderr.trim().split('\n').at(-1) ?? '');
  }

  #cutOff(id: ServiceId, why: string): OverworldError {
    if (why === '') {
      return new OverworldError('NODE_UNREACHABLE', {
        node: this.node,
        why: `the connection was lost while the files of ${id} were transferred`,
      });
    }
    return this.failed(toTransfer(id), why);
  }
}

function toTransfer(id: ServiceId): string {
  return `transfer the files of ${id}`;
}

/** Splits a stream of contents, one after the other, into files that are named by their hashes. */
class Receiver {
  readonly #files: readonly Pick<KeptFile, 'hash' | 'size'>[];
  readonly #folder: string;
  #next = 0;
  #left = 0;
  #digest = createHash('sha256');
  #out: WriteStream | null = null;

  constructor(files: readonly Pick<KeptFile, 'hash' | 'size'>[], folder: string) {
    this.#files = files;
    this.#folder = folder;
  }

  /** Whether all files have arrived. */
  get isComplete(): boolean {
    return this.#out === null && this.#next === this.#files.length;
  }

  /** Throws an Error if a content does not have its hash, or there are more bytes than expected; errno errors. */
  async add(chunk: Buffer): Promise<void> {
    let rest = chunk;
    while (rest.length > 0) {
      await this.#begin();
      if (this.#out === null) throw new Error('the node sent more bytes than requested');
      const piece = rest.subarray(0, this.#left);
      rest = rest.subarray(piece.length);
      this.#left -= piece.length;
      this.#digest.update(piece);
      if (!this.#out.write(piece)) await once(this.#out, 'drain');
      if (this.#left === 0) await this.#finish();
    }
  }

  /** Handles the end of the stream: files without content have sent no bytes. */
  async end(): Promise<void> {
    if (this.#out === null) await this.#begin();
    if (this.#out !== null) await this.cancel();
  }

  async cancel(): Promise<void> {
    const out = this.#out;
    if (out === null) return;
    out.destroy();
    if (!out.closed) await once(out, 'close');
  }

  /** Opens the next file, if none is open. Files without content are complete at once. */
  async #begin(): Promise<void> {
    while (this.#out === null) {
      const file = this.#files[this.#next];
      if (file === undefined) return;
      this.#left = file.size;
      this.#digest = createHash('sha256');
      this.#out = createWriteStream(this.#partOf(file.hash), { flags: 'wx', mode: 0o600 });
      await once(this.#out, 'open');
      if (file.size === 0) await this.#finish();
    }
  }

  async #finish(): Promise<void> {
    const { hash } = this.#files[this.#next] ?? { hash: '' };
    const out = this.#out;
    if (out === null) return;
    out.end();
    await once(out, 'close');
    if (this.#digest.digest('hex') !== hash) throw new Error('a file changed while it was transferred');
    await rename(this.#partOf(hash), join(this.#folder, hash));
    this.#out = null;
    this.#next += 1;
  }

  #partOf(hash: string): string {
    return join(this.#folder, `${hash}.part`);
  }
}
