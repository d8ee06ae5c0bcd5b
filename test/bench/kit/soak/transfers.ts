import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import type { SFTPWrapper } from 'ssh2';
import { call, openSftp } from '#test/support/files/sftp.ts';
import { connect, type Person, type SshPort } from '#test/support/master/admin-master.ts';

const LARGE_BYTES = 8 * 1_048_576;
const SMALL_FILES = 20;
const SMALL_BYTES = 4_000;

/** Number of bytes that one call of {@link transferFiles} sends or receives. */
export const TRANSFERRED_BYTES = 2 * LARGE_BYTES + SMALL_FILES * SMALL_BYTES;

/**
 * Logs in, uploads a large file and some small files, changes a file of a template, and downloads the large file. At
 * the end, removes the uploaded files, but not the template's file.
 *
 * @param options.template template whose file `note.txt` gets new content, so that the template gets a new revision
 * @throws Error if the downloaded file differs from the uploaded file
 */
export async function transferFiles(
  master: SshPort,
  person: Person,
  { template }: { readonly template: string },
): Promise<void> {
  const client = await connect(master, person);
  try {
    const sftp = await openSftp(client);
    const large = randomBytes(LARGE_BYTES);
    await put(sftp, '/files/large.bin', large);
    for (let n = 0; n < SMALL_FILES; n += 1)
      await put(sftp, `/files/small-${n}.txt`, randomBytes(SMALL_BYTES));
    await put(sftp, `/templates/${template}/note.txt`, randomBytes(SMALL_BYTES));
    const back = await call<Buffer>((done) => sftp.readFile('/files/large.bin', done));
    if (!back.equals(large)) throw new Error('the downloaded file is not the uploaded one');
    await call((done) => sftp.unlink('/files/large.bin', done));
    for (let n = 0; n < SMALL_FILES; n += 1) await call((done) => sftp.unlink(`/files/small-${n}.txt`, done));
  } finally {
    const closed = once(client, 'close');
    client.end();
    await closed;
  }
}

function put(sftp: SFTPWrapper, path: string, bytes: Buffer): Promise<void> {
  return call((done) => sftp.writeFile(path, bytes, done));
}
