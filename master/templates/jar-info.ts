import { openPromise, type Entry, type ZipFile } from 'yauzl';

/** What a jar tells about itself. `broken`: it is not a zip archive, so Java could not start it. */
export type JarReading =
  | { readonly kind: 'jar'; readonly software: string | null }
  | { readonly kind: 'broken'; readonly why: string };

/** The manifest comes first or near the front by convention; server jars have up to some 20,000 entries. */
const MAX_ENTRIES = 50_000;
/** Main attributes fill a few hundred bytes; a signed jar's per-file sections after them do not matter. */
const MAX_MANIFEST_BYTES = 64 * 1024;
const MAX_SOFTWARE_LENGTH = 100;

/**
 * Reads title and version of a server software from a jar's manifest: Implementation-Title and -Version, else
 * Specification-Title and -Version, else Main-Class. Source: JAR File Specification, "Main Attributes".
 */
export async function readJar(path: string): Promise<JarReading> {
  let zip: ZipFile;
  try {
    zip = await openPromise(path, { lazyEntries: true, autoClose: false, decodeStrings: true });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code !== undefined) throw error;
    return { kind: 'broken', why: 'it is not a complete zip archive' };
  }
  try {
    const text = await readManifest(zip);
    return { kind: 'jar', software: text === null ? null : softwareOf(text) };
  } catch {
    // A damaged entry list: Java may still start it, we only cannot name it.
    return { kind: 'jar', software: null };
  } finally {
    zip.close();
  }
}

async function readManifest(zip: ZipFile): Promise<string | null> {
  let count = 0;
  for await (const entry of zip.eachEntry()) {
    if (entry.fileName.toUpperCase() === 'META-INF/MANIFEST.MF') {
      // Awaited here: leaving the loop closes the archive.
      const text = await readStart(zip, entry);
      return text;
    }
    if (++count >= MAX_ENTRIES) return null;
  }
  return null;
}

async function readStart(zip: ZipFile, entry: Entry): Promise<string> {
  const stream = await zip.openReadStreamPromise(entry);
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    chunks.push(chunk);
    bytes += chunk.length;
    if (bytes >= MAX_MANIFEST_BYTES) break;
  }
  return Buffer.concat(chunks).subarray(0, MAX_MANIFEST_BYTES).toString('utf8');
}

/** Title and version from the text of a manifest; null when it names nothing. */
export function softwareOf(manifest: string): string | null {
  const [main = ''] = manifest.replace(/\r\n?/g, '\n').split('\n\n', 1);
  const attributes = new Map(
    main
      .replace(/\n /g, '')
      .split('\n')
      .map((line): [string, string] => [
        line.slice(0, Math.max(0, line.indexOf(':'))).toLowerCase(),
        line.slice(line.indexOf(':') + 1).trim(),
      ]),
  );
  for (const prefix of ['implementation', 'specification']) {
    const title = attributes.get(`${prefix}-title`);
    if (title === undefined || title === '') continue;
    return printable([title, attributes.get(`${prefix}-version`)].filter(Boolean).join(' '));
  }
  const mainClass = attributes.get('main-class');
  return mainClass === undefined || mainClass === '' ? null : printable(mainClass);
}

function printable(text: string): string {
  return text.replace(/\p{C}/gu, '').slice(0, MAX_SOFTWARE_LENGTH);
}
