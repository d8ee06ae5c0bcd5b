import { openPromise, type Entry, type ZipFile } from 'yauzl';
import { z } from 'zod';
import { javaNeedOf } from '#shared/java-version.ts';
import { minecraftOf } from './configs/paper-version.ts';
import { readServerProperty } from './configs/server-properties.ts';

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
      /** Oldest Java (feature version) that starts the jar; null if unknown. */
      readonly needsJava: number | null;
    }
  | { readonly kind: 'broken'; readonly why: string };

/**
 * Maximum number of zip entries of a jar to examine. The manifest is usually near the front; server jars have up to
 * some 20,000 entries.
 */
const MAX_ENTRIES = 50_000;
const MANIFEST = 'META-INF/MANIFEST.MF';
const VERSIONS = 'META-INF/versions.list';
/** Facts about the Minecraft version of a server, in jars of Minecraft 1.17 and later. */
const VERSION_JSON = 'version.json';
/** States the Minecraft version that a launcher of Fabric downloads and starts. */
const FABRIC_PROPERTIES = 'install.properties';
/** Magic number of a class file (Java Virtual Machine Specification, section 4.1). */
const CLASS_MAGIC = 0xca_fe_ba_be;
/**
 * Number of bytes to read of each file in the jar. The main attributes of a manifest take up a few hundred bytes. The
 * sections that follow them in the manifest of a signed jar are not needed.
 */
const MAX_TEXT_BYTES = 64 * 1024;
const MAX_SOFTWARE_LENGTH = 100;

/**
 * Reads the title and version of server software from a jar's manifest: Implementation-Title and -Version,
 * otherwise Specification-Title and -Version, otherwise Main-Class. Source: JAR File Specification, "Main
 * Attributes". Also finds out which Java the jar needs (`javaNeedOf`).
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
    return { kind: 'jar', software: null, versions: null, needsJava: null };
  } finally {
    zip.close();
  }
}

type Found = Omit<Extract<JarReading, { kind: 'jar' }>, 'kind'>;

async function readTexts(zip: ZipFile): Promise<Found> {
  const reader = new JarReader(zip);
  let count = 0;
  for await (const entry of zip.eachEntry()) {
    await reader.look(entry);
    // Leaving the loop closes the archive.
    if (++count >= MAX_ENTRIES) break;
  }
  return reader.found();
}

/** Collects facts from the files of a jar, which it gets in the sequence of the archive. */
class JarReader {
  readonly #zip: ZipFile;
  #attributes: ReadonlyMap<string, string> = new Map();
  #versions: string | null = null;
  #declared: number | null = null;
  #classFile: number | null = null;
  /** Version of Minecraft that the jar downloads and starts; null if it is not a launcher. */
  #launched: string | null = null;
  /** Path of the main class; null until the manifest is read. */
  #mainPath: string | null = null;
  /** Classes before the manifest. Usually, there are none, because the manifest is the first file. */
  readonly #earlier = new Map<string, Entry>();

  constructor(zip: ZipFile) {
    this.#zip = zip;
  }

  async look(entry: Entry): Promise<void> {
    const { fileName } = entry;
    if (fileName === this.#mainPath) this.#classFile = classFileOf(await readStart(this.#zip, entry, 8));
    else if (fileName.endsWith('.class')) {
      if (this.#mainPath === null) this.#earlier.set(fileName, entry);
    } else if (fileName === VERSIONS) this.#versions = await this.#text(entry);
    else if (fileName === VERSION_JSON) this.#declared = declaredIn(await this.#text(entry));
    else if (fileName === FABRIC_PROPERTIES)
      this.#launched = readServerProperty(await this.#text(entry), 'game-version');
    else if (fileName.toUpperCase() === MANIFEST) await this.#readManifest(entry);
  }

  found(): Found {
    const attributes = this.#attributes;
    const software = softwareIn(attributes);
    const minecraft = this.#launched ?? (this.#versions === null ? null : minecraftOf(this.#versions));
    // The main class of a launcher does not show what the launched server needs.
    const classFile = this.#launched === null ? this.#classFile : null;
    const javaVersion = attributes.get('java-version') ?? null;
    const buildJdk = attributes.get('build-jdk-spec') ?? null;
    const facts = { classFile, declared: this.#declared, minecraft, javaVersion, buildJdk };
    // Only the settings of a server that assembles itself depend on its version.
    const versions = /clip\b/i.test(software ?? '') ? this.#versions : null;
    return { software, versions, needsJava: javaNeedOf(facts) };
  }

  async #readManifest(entry: Entry): Promise<void> {
    this.#attributes = attributesOf(await this.#text(entry));
    this.#mainPath = `${(this.#attributes.get('main-class') ?? '').replaceAll('.', '/')}.class`;
    const passed = this.#earlier.get(this.#mainPath);
    if (passed !== undefined) this.#classFile = classFileOf(await readStart(this.#zip, passed, 8));
    this.#earlier.clear();
  }

  async #text(entry: Entry): Promise<string> {
    return (await readStart(this.#zip, entry, MAX_TEXT_BYTES)).toString('utf8');
  }
}

async function readStart(zip: ZipFile, entry: Entry, maxBytes: number): Promise<Buffer> {
  const stream = await zip.openReadStreamPromise(entry);
  const chunks: Buffer[] = [];
  let bytes = 0;
  // Without an encoding, a stream yields buffers.
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    chunks.push(chunk);
    bytes += chunk.length;
    if (bytes >= maxBytes) break;
  }
  return Buffer.concat(chunks).subarray(0, maxBytes);
}

/**
 * Returns the major version in the first 8 bytes of a class file; null if the bytes are not the start of a class
 * file.
 */
function classFileOf(start: Buffer): number | null {
  return start.length === 8 && start.readUInt32BE(0) === CLASS_MAGIC ? start.readUInt16BE(6) : null;
}

/** Returns `java_version` of a `version.json`; null if it has none. */
function declaredIn(text: string): number | null {
  try {
    return versionJsonSchema.parse(JSON.parse(text)).java_version;
  } catch {
    return null;
  }
}

const versionJsonSchema = z.object({ java_version: z.int().min(1).max(999) });

/**
 * Extracts title and version from the text of a manifest, or its Main-Class if it has no title. Returns null if it
 * has neither.
 *
 * Example: `Implementation-Title: Paper` and `Implementation-Version: 1.20` give `Paper 1.20`.
 */
export function softwareOf(manifest: string): string | null {
  return softwareIn(attributesOf(manifest));
}

/** Returns the main attributes of a manifest by their names in lower case. */
function attributesOf(manifest: string): ReadonlyMap<string, string> {
  const [main = ''] = manifest.replace(/\r\n?/g, '\n').split('\n\n', 1);
  return new Map(
    main
      .replace(/\n /g, '')
      .split('\n')
      .map((line): [string, string] => [
        line.slice(0, Math.max(0, line.indexOf(':'))).toLowerCase(),
        line.slice(line.indexOf(':') + 1).trim(),
      ]),
  );
}

function softwareIn(attributes: ReadonlyMap<string, string>): string | null {
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
