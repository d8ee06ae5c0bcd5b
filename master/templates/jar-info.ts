import { openPromise, type Entry, type ZipFile } from 'yauzl';

/** Information read from a jar. `broken`: the file is not a zip archive, so Java cannot start it. */
export type JarReading =
  | {
      readonly kind: 'jar';
      /** Title and version in the manifest, or its Main-Class; null if it has neither or cannot be read. */
      readonly software: string | null;
      /**
       * Text of `META-INF/versions.list`, which exists in a jar that assembles the server when it starts, such as
       * Paper's; otherwise null.
       */
      readonly versions: string | null;
    }
  | { readonly kind: 'broken'; readonly why: string };

/**
 * Maximum number of zip entries of a jar to examine. The manifest is usually near the front; server jars have up to
 * some 20,000 entries.
 */
const MAX_ENTRIES = 50_000;
const MANIFEST = 'META-INF/MANIFEST.MF';
const VERSIONS = 'META-INF/versions.list';
/**
 * Number of bytes to read of each file in the jar. The main attributes of a manifest take up a few hundred bytes. The
 * sections that follow them in the manifest of a signed jar are not needed.
 */
const MAX_TEXT_BYTES = 64 * 1024;
const MAX_SOFTWARE_LENGTH = 100;

/**
 * Reads the title and version of server software from a jar's manifest: Implementation-Title and -Version,
 * otherwise Specification-Title and -Version, otherwise Main-Class. Source: JAR File Specification, "Main
 * Attributes".
 *
 * @throws errno errors if the jar cannot be opened
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
    return { kind: 'jar', ...(await readTexts(zip)) };
  } catch {
    // Java may still start a jar with a damaged entry list, so it is accepted; only its software stays unknown.
    return { kind: 'jar', software: null, versions: null };
  } finally {
    zip.close();
  }
}

async function readTexts(zip: ZipFile): Promise<{ software: string | null; versions: string | null }> {
  const found = { software: null as string | null, versions: null as string | null };
  let count = 0;
  let isNamed = false;
  for await (const entry of zip.eachEntry()) {
    if (entry.fileName.toUpperCase() === MANIFEST) {
      found.software = softwareOf(await readStart(zip, entry));
      isNamed = true;
    } else if (entry.fileName === VERSIONS) found.versions = await readStart(zip, entry);
    const isWhole = isNamed && (found.versions !== null || !/clip\b/i.test(found.software ?? ''));
    // Leaving the loop closes the archive.
    if (isWhole || ++count >= MAX_ENTRIES) break;
  }
  return found;
}

async function readStart(zip: ZipFile, entry: Entry): Promise<string> {
  const stream = await zip.openReadStreamPromise(entry);
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    chunks.push(chunk);
    bytes += chunk.length;
    if (bytes >= MAX_TEXT_BYTES) break;
  }
  return Buffer.concat(chunks).subarray(0, MAX_TEXT_BYTES).toString('utf8');
}

/**
 * Extracts title and version from the text of a manifest, or its Main-Class if it has no title. Returns null if it
 * has neither.
 *
 * Example: `Implementation-Title: Paper` and `Implementation-Version: 1.20` give `Paper 1.20`.
 */
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
