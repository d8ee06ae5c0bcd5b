import { readOnlyReason } from '#shared/model/file-views.ts';
import type { OpenHandle, OpenViewFile, OpenViewFolder } from '../handles.ts';
import { OperationQueue } from '../operation-queue.ts';
import { longName } from '../protocol/long-name.ts';
import { DATA_OFFSET, statusPacket, toDataPacket, type Attrs, type NameEntry } from '../protocol/packets.ts';
import { status } from '../protocol/protocol.ts';
import { forbidden, notFound } from '../protocol/refusal.ts';
import { fromText, toText, type ViewPath } from '../protocol/virtual-path.ts';
import type { SftpSession } from '../session.ts';
import type { FileView } from '../views/view.ts';

/**
 * Returns the attributes of the object at a path of a view. @throws Refusal; OverworldError if nothing exists there
 */
export async function viewAttrs(session: SftpSession, path: ViewPath): Promise<Attrs> {
  return viewAt(session, path).stat(namesOf(path));
}

/** Opens a folder of a view. @throws Refusal; OverworldError */
export async function openViewFolder(session: SftpSession, path: ViewPath): Promise<OpenHandle> {
  const folder = await viewAt(session, path).list(namesOf(path));
  return { kind: 'view folder', folder, turn: Promise.resolve() };
}

/** Returns the next entries of an open folder of a view. Empty at its end. */
export async function nextViewEntries({ folder }: OpenViewFolder): Promise<NameEntry[]> {
  const now = Date.now();
  return (await folder.next()).map(({ name: text, attrs }) => {
    const name = fromText(text);
    return { name, longName: longName(name, attrs, now), attrs };
  });
}

/** Opens a file of a view for reading. @throws Refusal; OverworldError */
export async function openViewFile(session: SftpSession, path: ViewPath): Promise<OpenHandle> {
  const file = await viewAt(session, path).open(namesOf(path));
  const queue = new OperationQueue(() => Promise.reject(forbidden(readOnlyReason(path.area))));
  return { kind: 'view file', file, queue };
}

/** Answers the request READ for a file of a view, such as `/volumes` or `/services`. */
export function readViewFile(
  { buffers }: SftpSession,
  { file, queue }: OpenViewFile,
  { id, position, length }: { readonly id: number; readonly position: number; readonly length: number },
): Promise<Buffer> {
  // Takes the buffer now, so that the session counts the bytes of all answers that it will send.
  const out = buffers.lend(DATA_OFFSET + length);
  return queue.read(async () => {
    let bytes = 0;
    try {
      const content = position === Infinity ? Buffer.alloc(0) : await file.read(position, length);
      bytes = content.copy(out, DATA_OFFSET);
    } finally {
      if (bytes === 0) buffers.giveBack(out);
    }
    return bytes === 0 ? statusPacket(id, status.EOF, 'End of file') : toDataPacket(out, id, bytes);
  });
}

function viewAt(session: SftpSession, { area }: ViewPath): FileView {
  if (session.views === null) throw notFound();
  return session.views[area];
}

/** Returns the names of a path as text. This loses nothing, because all names in views are valid text. */
function namesOf({ names }: ViewPath): string[] {
  const texts = names.map(toText);
  if (texts.some((text, at) => fromText(text) !== names[at])) throw notFound();
  return texts;
}
