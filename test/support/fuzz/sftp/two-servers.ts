import {
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { request, response, status } from '#master/files/sftp/protocol/protocol.ts';
import { field, type RawAnswer, type RawSftp } from '#test/support/files/raw-sftp.ts';
import {
  differenceOf,
  isIncomparable,
  masterMode,
  mayDiffer,
  target,
  type Before,
  type OpenHandle,
} from './differences.ts';
import type { Step } from './session-steps.ts';
import { toPacket } from './step-packets.ts';

/** One of the two servers: its session, and the path of a folder for clients (`at`) and on disk (`disk`). */
export interface Side {
  readonly raw: RawSftp;
  readonly at: string;
  readonly disk: string;
}

/** Fills the folder of a session. Both servers get the same files. */
export function fill(disk: string): void {
  rmSync(disk, { recursive: true, force: true });
  mkdirSync(join(disk, 'folder'), { recursive: true, mode: 0o750 });
  writeFileSync(join(disk, 'a'), 'content of a', { mode: 0o640 });
  writeFileSync(join(disk, 'folder', 'a'), 'content of folder/a', { mode: 0o640 });
  symlinkSync('a', join(disk, 'link'));
  symlinkSync('folder', join(disk, 'folder-link'));
  symlinkSync('nothing', join(disk, 'dangling'));
}

/** Returns a line for each entry below a folder: path, kind and mode, and content. */
export function treeOf(folder: string, below = ''): string[] {
  return readdirSync(join(folder, below))
    .sort()
    .flatMap((name) => {
      const path = join(below, name);
      const stats = lstatSync(join(folder, path));
      const head = `${path} ${stats.mode.toString(8)}`;
      if (stats.isSymbolicLink()) return [`${head} -> ${readlinkSync(join(folder, path))}`];
      if (stats.isDirectory()) return [head, ...treeOf(folder, path)];
      return [`${head} ${readFileSync(join(folder, path)).toString('base64')}`];
    });
}

/** Handle on both servers, with the name that each server gave it. */
interface Handle extends OpenHandle {
  readonly ours: Buffer;
  readonly theirs: Buffer;
}

/** Runs a session on both servers, and compares their answers. */
class Comparison {
  readonly #ours: Side;
  readonly #theirs: Side;
  readonly #handles: Handle[] = [];
  /** Number of packets that the master received. */
  packets = 0;

  constructor(ours: Side, theirs: Side) {
    this.#ours = ours;
    this.#theirs = theirs;
  }

  /** Runs one step. If the answers differ, throws an Error that describes the difference. */
  async step(step: Step): Promise<void> {
    const before: Before = { folder: this.#theirs.disk, handles: this.#handles };
    if (isIncomparable(step, before)) return;
    const difference = differenceOf(step, before);
    if (difference !== undefined) {
      const answer = await this.#ask('ours', step);
      if (answer.status !== difference.status)
        throw new Error(`status ${answer.status} instead of ${difference.status} (${difference.because})`);
    } else if (step.kind === 'list') {
      const [ours, theirs] = [await this.#list('ours', step.path), await this.#list('theirs', step.path)];
      const statuses = { ours: numberIn(ours), theirs: numberIn(theirs) };
      if (ours !== theirs && !mayDiffer(step, before, statuses))
        throw new Error(`${ours} instead of ${theirs}`);
    } else {
      await this.#compare(step, before);
    }
  }

  async close(): Promise<void> {
    for (const { ours, theirs } of this.#handles) {
      await Promise.all([
        this.#send('ours', request.CLOSE, field(ours)),
        this.#send('theirs', request.CLOSE, field(theirs)),
      ]);
    }
  }

  async #compare(step: Step, before: Before): Promise<void> {
    const path = 'path' in step ? step.path : '';
    const inode = target(before, path)?.ino;
    const [ours, theirs] = await Promise.all([
      this.#ask('ours', step),
      this.#ask('theirs', asMaster(step, before)),
    ]);
    if (ours.type === response.HANDLE && theirs.type === response.HANDLE) {
      this.#handles.push({
        isFolder: step.kind === 'opendir',
        flags: step.kind === 'open' ? step.flags : 0,
        inode: inode ?? target(before, path)?.ino ?? 0,
        path,
        ours: ours.body.subarray(4),
        theirs: theirs.body.subarray(4),
      });
      return;
    }
    const [mine, other] = [shown(step, ours), shown(step, theirs)];
    if (mine !== other && !mayDiffer(step, before, { ours: ours.status, theirs: theirs.status }))
      throw new Error(`${mine} instead of ${other}`);
    if (step.kind === 'close' && ours.status === status.OK) this.#handles.splice(step.handle, 1);
  }

  #ask(side: 'ours' | 'theirs', step: Step): Promise<RawAnswer> {
    const { at } = side === 'ours' ? this.#ours : this.#theirs;
    const handle = (index: number): Buffer => field(this.#handles[index]?.[side] ?? Buffer.from('none'));
    return this.#send(side, ...toPacket(step, at, handle));
  }

  #send(side: 'ours' | 'theirs', type: number, ...fields: readonly Buffer[]): Promise<RawAnswer> {
    if (side === 'ours') this.packets += 1;
    return (side === 'ours' ? this.#ours : this.#theirs).raw.ask(type, ...fields);
  }

  /** Returns all names in a folder, or the status of the failure. */
  async #list(side: 'ours' | 'theirs', path: string): Promise<string> {
    const opened = await this.#ask(side, { kind: 'opendir', path });
    if (opened.status !== null) return `status ${opened.status}`;
    const names: string[] = [];
    for (;;) {
      const answer = await this.#send(side, request.READDIR, opened.body);
      if (answer.status !== null) break;
      names.push(...namesOf(answer.body));
    }
    await this.#send(side, request.CLOSE, opened.body);
    // Leave out `.` and `..`, because the master does not list them.
    return names
      .filter((name) => name !== '.' && name !== '..')
      .sort()
      .join('\n');
  }
}

/**
 * Runs one session on both servers.
 *
 * @returns the number of packets that the master received
 * @throws Error with the step at which the answers differ
 */
export async function runOnBoth(steps: readonly Step[], ours: Side, theirs: Side): Promise<number> {
  const comparison = new Comparison(ours, theirs);
  try {
    for (const [index, step] of steps.entries()) {
      try {
        await comparison.step(step);
      } catch (error) {
        throw new Error(`step ${index} ${JSON.stringify(step)}: ${String(error)}`, { cause: error });
      }
    }
  } finally {
    await comparison.close();
  }
  return comparison.packets;
}

/** Replaces the mode in a step by the mode that the master sets. */
function asMaster(step: Step, before: Before): Step {
  if (step.kind === 'setstat' && 'mode' in step.change) {
    const isFolder = target(before, step.path)?.isDirectory() === true;
    return { ...step, change: { mode: masterMode(step.change.mode, isFolder) } };
  }
  if (step.kind === 'fsetstat' && 'mode' in step.change)
    return { ...step, change: { mode: masterMode(step.change.mode, false) } };
  return step;
}

/** Returns the part of an answer that must be the same on both servers. */
function shown(step: Step, { type, body, status: code }: RawAnswer): string {
  if (code !== null) return `status ${code}`;
  switch (type) {
    case response.ATTRS: {
      const mode = body.readUInt32BE(20);
      // Leave out the size of a folder, which depends on the disk.
      const size = (mode & 0o170000) === 0o040000 ? 0 : body.readBigUInt64BE(4);
      return `attributes ${mode.toString(8)} ${size} ${body.readUInt32BE(12)} ${body.readUInt32BE(16)}`;
    }
    case response.NAME:
      return `names ${namesOf(body).join(' ')}`;
    case response.DATA:
      return `data ${body.subarray(4).toString('base64')}`;
    default:
      return `${step.kind} answer ${type}`;
  }
}

function numberIn(text: string): number | null {
  return text.startsWith('status ') ? Number(text.slice(7)) : null;
}

/** Returns the names in a NAME answer. */
function namesOf(body: Buffer): string[] {
  const names: string[] = [];
  let at = 4;
  const text = (): string => {
    const length = body.readUInt32BE(at);
    at += 4 + length;
    return body.toString('latin1', at - length, at);
  };
  for (let count = body.readUInt32BE(0); count > 0; count -= 1) {
    names.push(text());
    text();
    const flags = body.readUInt32BE(at);
    at +=
      4 +
      ((flags & 1) === 0 ? 0 : 8) +
      ((flags & 2) === 0 ? 0 : 8) +
      ((flags & 4) === 0 ? 0 : 4) +
      ((flags & 8) === 0 ? 0 : 8);
  }
  return names;
}
