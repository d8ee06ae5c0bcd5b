import { opendirSync, type Dir } from 'node:fs';
import { mkdir as makeFolder, opendir as openFolder, rmdir as removeFolder } from 'node:fs/promises';
import type { OpenHandle, OpenFolder, OpenViewFolder } from '../handles.ts';
import type { CachedFolder } from '../jail/pin-cache.ts';
import { longName } from '../protocol/long-name.ts';
import { handlePacket, namePacket, statusPacket, type NameEntry } from '../protocol/packets.ts';
import { status } from '../protocol/protocol.ts';
import { failure } from '../protocol/refusal.ts';
import type { RequestHandler, SftpSession } from '../session.ts';
import {
  isInView,
  parsePath,
  toBytes,
  toText,
  type ByteString,
  type VirtualPath,
} from '../protocol/virtual-path.ts';
import { lookAt, rootAttrs } from './attributes.ts';
import { nextViewEntries, openViewFolder, viewAttrs } from './views.ts';

/** Number of entries in one answer. Such an answer has about 20 KB. */
const CHUNK_ENTRIES = 128;

/** Number of entries that are looked up in parallel. It equals the number of threads in the thread pool. */
const AT_ONCE = 4;

const DIR_OPTIONS = { encoding: 'latin1', bufferSize: CHUNK_ENTRIES } as const;

const NEW_FOLDER = 0o750;

/** OPENDIR: opens a folder for reading its entries, and returns a handle. */
export const opendir: RequestHandler = async (session, id, fields) => {
  const path = parsePath(fields.byteString());
  const number = await session.handles.reserve(async (): Promise<OpenHandle> => {
    if (path.area === null) return { kind: 'root', entries: await rootEntries(session) };
    if (isInView(path)) return openViewFolder(session, path);
    const folder = await session.area.listing(path);
    try {
      if (!folder.stat().isDirectory()) throw failure('It is not a folder');
      const at = toText(folder.path);
      const dir = await folder.look(
        () => opendirSync(at, DIR_OPTIONS),
        () => openFolder(at, DIR_OPTIONS),
      );
      return { kind: 'folder', area: session.area, folder, dir, turn: Promise.resolve() };
    } catch (error) {
      folder.close();
      throw error;
    }
  });
  return handlePacket(id, number);
};

/** READDIR: returns the next entries of an open folder, or the status EOF after the last one. */
export const readdir: RequestHandler = async (session, id, fields) => {
  const open = session.handles.get(fields.bytes());
  if (open.kind === 'file' || open.kind === 'view file') throw failure('This handle is a file');
  const entries = open.kind === 'root' ? open.entries.splice(0) : await inTurn(open);
  return entries.length === 0 ? statusPacket(id, status.EOF, 'End of folder') : namePacket(id, entries);
};

/**
 * Reads the next entries of a folder. Runs the READDIRs of one folder one after the other, because a `Dir` does not
 * support parallel reads.
 */
function inTurn(open: OpenFolder | OpenViewFolder): Promise<NameEntry[]> {
  const entries = open.turn.then(() => (open.kind === 'folder' ? nextEntries(open) : nextViewEntries(open)));
  open.turn = entries.catch(() => undefined);
  return entries;
}

async function nextEntries({ area, dir, folder }: OpenFolder): Promise<NameEntry[]> {
  for (;;) {
    const all = await folder.look(
      () => nextNamesNow(dir),
      () => nextNames(dir),
    );
    if (all.length === 0) {
      folder.listed();
      return [];
    }
    const names = all.filter((name) => area.shows(folder, name));
    const now = Date.now();
    const entries: (NameEntry | undefined)[] = [];
    // Looks up the first few names. If these lookups are fast, the following ones run synchronously.
    while (entries.length < names.length) {
      const some = names.slice(entries.length, entries.length + AT_ONCE);
      entries.push(...(await Promise.all(some.map((name) => describe(folder, name, now)))));
    }
    const still = entries.filter((entry) => entry !== undefined);
    // An empty answer would mean the end of the folder. Therefore, reading continues if all of these entries have
    // vanished or are hidden.
    if (still.length > 0) return still;
  }
}

async function nextNames(dir: Dir): Promise<ByteString[]> {
  const names: ByteString[] = [];
  while (names.length < CHUNK_ENTRIES) {
    const entry = await dir.read();
    if (entry === null) break;
    names.push(entry.name);
  }
  return names;
}

function nextNamesNow(dir: Dir): ByteString[] {
  const names: ByteString[] = [];
  while (names.length < CHUNK_ENTRIES) {
    const entry = dir.readSync();
    if (entry === null) break;
    names.push(entry.name);
  }
  return names;
}

async function describe(folder: CachedFolder, name: ByteString, now: number): Promise<NameEntry | undefined> {
  const attrs = await lookAt(folder, `${folder.path}/${name}`);
  return attrs === undefined ? undefined : { name, longName: longName(name, attrs, now), attrs };
}

async function rootEntries(session: SftpSession): Promise<NameEntry[]> {
  const now = Date.now();
  return Promise.all(
    session.roots.map(async (name) => {
      const root: Exclude<VirtualPath, { readonly area: null }> = { area: name, names: [] };
      const attrs = isInView(root) ? await viewAttrs(session, root) : await rootAttrs(session, root.area);
      return { name, longName: longName(name, attrs, now), attrs };
    }),
  );
}

/** MKDIR: creates a folder. Ignores the requested attributes. Needs the right to write. */
export const mkdir: RequestHandler = async (session, id, fields) => {
  session.requireWrite();
  await session.changing(parsePath(fields.byteString()), async ({ area, path, limit }) => {
    limit.requireEntry();
    const entry = await area.entry(path);
    try {
      await makeFolder(toBytes(entry.path), NEW_FOLDER);
    } finally {
      entry.close();
    }
  });
  return statusPacket(id, status.OK, 'Done');
};

/** RMDIR: deletes an empty folder. Needs the right to write. */
export const rmdir: RequestHandler = async (session, id, fields) => {
  session.requireWrite();
  await session.changing(parsePath(fields.byteString()), async ({ area, path, shown }) => {
    const entry = await area.entry(path);
    try {
      await removeFolder(toBytes(entry.path));
    } finally {
      entry.close();
    }
    session.emit('files.deleted', shown);
  });
  return statusPacket(id, status.OK, 'Done');
};
