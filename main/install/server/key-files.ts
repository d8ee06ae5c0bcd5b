import { readdir, readFile, stat } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { OverworldError } from '#shared/errors/overworld-error.ts';
import type { KeyFile } from '#shared/ipc/contract.ts';

/** Maximum size of a private key (bytes). An RSA key of 16,384 bits has 13 KB. */
const MAX_BYTES = 65_536;

/** Matches the first line of a private key in OpenSSH's, PEM's or PuTTY's format. */
const PRIVATE_KEY = /^(-----BEGIN [A-Z0-9 ]*PRIVATE KEY-----|PuTTY-User-Key-File-\d+:)/;

/** A private key that can be used. */
export interface OpenedKey {
  /** The key, decrypted. */
  readonly key: string;
  readonly passphrase: string | undefined;
}

interface KeyFilesOptions {
  /** Paths that were chosen in earlier runs of the app, and are stored in its settings. */
  readonly remembered: () => readonly string[];
  /** Folder of the person's SSH files; default `~/.ssh`. */
  readonly folder?: string;
}

/**
 * The private keys that the app may read: those in the person's SSH folder, and those that a person has chosen in the
 * system's dialog. The window cannot name any other file.
 */
export class KeyFiles {
  readonly #folder: string;
  readonly #remembered: () => readonly string[];
  readonly #picked = new Set<string>();

  constructor({ remembered, folder = join(homedir(), '.ssh') }: KeyFilesOptions) {
    this.#remembered = remembered;
    this.#folder = folder;
  }

  /**
   * Returns the private keys in the SSH folder and the remembered ones, sorted by path. Leaves out files that cannot
   * be read or are no private keys.
   */
  async list(): Promise<KeyFile[]> {
    const names = await readdir(this.#folder).catch((): string[] => []);
    const paths = new Set([...names.map((name) => join(this.#folder, name)), ...this.#remembered()]);
    const found = await Promise.all([...paths].sort().map((path) => describe(path).catch(() => null)));
    return found.filter((file) => file !== null);
  }

  /**
   * Allows the app to read a file that a person has chosen in the system's dialog, until the app quits.
   *
   * @throws OverworldError LOGIN_KEY_UNUSABLE if the file cannot be read or is no supported private key
   */
  async pick(path: string): Promise<KeyFile> {
    const file = await describe(path);
    this.#picked.add(path);
    return file;
  }

  /**
   * Reads a private key that the app may read, and checks that the passphrase opens it.
   *
   * @throws OverworldError LOGIN_KEY_NOT_CHOSEN, LOGIN_KEY_UNUSABLE
   */
  async open(path: string, passphrase: string | undefined): Promise<OpenedKey> {
    const allowed = this.#picked.has(path) || (await this.list()).some((file) => file.path === path);
    if (!allowed) throw new OverworldError('LOGIN_KEY_NOT_CHOSEN', { path });
    const key = await readKey(path);
    const why = await obstacleOf(key, passphrase);
    if (why !== null) throw new OverworldError('LOGIN_KEY_UNUSABLE', { path, why });
    return { key, passphrase };
  }
}

async function describe(path: string): Promise<KeyFile> {
  const why = await obstacleOf(await readKey(path), undefined);
  if (why === null) return { path, encrypted: false };
  if (why === ENCRYPTED) return { path, encrypted: true };
  throw new OverworldError('LOGIN_KEY_UNUSABLE', { path, why });
}

/** @throws OverworldError LOGIN_KEY_UNUSABLE if the file cannot be read or is no private key */
async function readKey(path: string): Promise<string> {
  const refuse = (why: string, cause?: unknown) =>
    new OverworldError('LOGIN_KEY_UNUSABLE', { path, why }, cause);
  try {
    const facts = await stat(path);
    if (!facts.isFile() || facts.size > MAX_BYTES) throw refuse('it is no private key');
    const text = await readFile(path, 'utf8');
    if (!PRIVATE_KEY.test(text)) throw refuse('it is no private key');
    return text;
  } catch (error) {
    if (error instanceof OverworldError) throw error;
    throw refuse(error instanceof Error ? error.message : String(error), error);
  }
}

const ENCRYPTED = 'it is encrypted and needs its passphrase';

/** Returns why a key cannot be used, as a clause for an error message. Null if the key can be used. */
async function obstacleOf(key: string, passphrase: string | undefined): Promise<string | null> {
  const { default: ssh2 } = await import('ssh2');
  const parsed: unknown = ssh2.utils.parseKey(key, passphrase);
  // Several keys in one file are possible in OpenSSH's format; the first one counts.
  if (!(parsed instanceof Error)) return null;
  if (/no passphrase given/i.test(parsed.message)) return ENCRYPTED;
  if (passphrase !== undefined && /bad passphrase|bad decrypt|integrity check/i.test(parsed.message)) {
    return 'the passphrase is wrong';
  }
  return `its format is not supported (${parsed.message})`;
}
