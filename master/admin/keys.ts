import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import { hasCode, OverworldError } from '#shared/errors/overworld-error.ts';
import {
  authorizedKeySchema,
  canBeLimited,
  roleSchema,
  type AuthorizedKey,
  type Role,
} from '#shared/model/access/role.ts';
import { templateLimitSchema, type TemplateLimit } from '#shared/model/access/template-limit.ts';
import { serviceIdSchema } from '#shared/model/service-id.ts';
import { BY_HAND, OVERWORLD, proxyActor } from '#master/state/feed/emit-event.ts';
import { readError } from '#master/store/disk-error.ts';
import { openJsonFile } from '#master/store/json-file.ts';
import { fingerprintOf } from '#shared/node/fingerprint.ts';
import { UNKNOWN_CLIENT } from './access-events.ts';
import { parsePublicKey, publicKeyLine } from './public-key.ts';

/** Maximum number of authorized keys. */
const MAX_KEYS = 1000;

const nameSchema = authorizedKeySchema.shape.name;

/**
 * Actors in the activity log and the security log that are not keys: the rules, the local socket, edits by hand, and
 * clients without an authorized key. A key with such a name could not be told from them.
 */
const RESERVED_NAMES: readonly string[] = [OVERWORLD, 'local', BY_HAND, UNKNOWN_CLIENT];

/** Returns whether the logs use a name for an actor that is not a key: see above, and proxies. */
function isReserved(name: string): boolean {
  const service = serviceIdSchema.safeParse(name.split(' ').at(-1));
  return RESERVED_NAMES.includes(name) || (service.success && name === proxyActor(service.data));
}

const storedKeySchema = z
  .strictObject({
    name: nameSchema,
    role: roleSchema,
    /** Templates to which the key is limited. If missing, the key applies to all templates. */
    templates: templateLimitSchema.optional(),
    publicKey: z.string().refine(isUsable, 'is not a usable SSH public key'),
    addedAt: z.int(),
  })
  .refine(({ role, templates }) => templates === undefined || canBeLimited(role), {
    path: ['templates'],
    message: 'is only possible for the roles files and operator',
  });
type StoredKey = z.infer<typeof storedKeySchema>;

const keysFileSchema = z.strictObject({ keys: z.array(storedKeySchema) });

export interface NewKey {
  readonly name: string;
  readonly role: Role;
  /** Templates to which the key is limited. If null or missing, the key applies to all templates. */
  readonly templates?: TemplateLimit | undefined;
  /** One line in OpenSSH's public key format. */
  readonly publicKey: string;
}

/**
 * The public keys that may log in. Each change is on disk before its promise resolves. Methods that change the file
 * throw DATA_FOLDER_UNSAFE if it cannot be read or written, and DISK_FULL.
 */
export interface KeyStore {
  /** Returns all keys in the order in which they were added. */
  list(): AuthorizedKey[];
  /** Returns the key with this wire form (RFC 4253 6.6). Undefined if this key may not log in. */
  find(blob: Buffer): AuthorizedKey | undefined;
  /**
   * Adds a key.
   *
   * @throws OverworldError KEY_INVALID, KEY_EXISTS, KEY_NAME_TAKEN, KEY_NOT_LIMITABLE, PARAMS_INVALID, TOO_MANY
   */
  add(key: NewKey): Promise<AuthorizedKey>;
  /**
   * Changes the template limit of a key, which is given by fingerprint or name. Resolves after the listeners of
   * {@link onRevoked} have run. Does nothing if the key already has this limit.
   *
   * @throws OverworldError KEY_NOT_FOUND, KEY_NOT_LIMITABLE, PARAMS_INVALID
   */
  limit(
    nameOrFingerprint: string,
    templates: TemplateLimit,
  ): Promise<{ readonly key: AuthorizedKey; readonly changed: boolean }>;
  /**
   * Removes a key by fingerprint or name. Resolves after the listeners of {@link onRevoked} have run.
   *
   * @throws OverworldError KEY_NOT_FOUND, KEY_LAST_OWNER
   */
  remove(nameOrFingerprint: string): Promise<AuthorizedKey>;
  /**
   * Ensures that a key is authorized and has the role owner, without a limit. Does nothing if the key is already an
   * owner. Used for the key of the person who starts the master, because this person controls the master anyway. If
   * no key can have the name, or another key already has it, a number is added to the name: `desktop (2)`.
   *
   * @param name name of the key if it is new; default: the comment of its line, or `owner` if this comment is not a
   *   valid name
   * @throws OverworldError KEY_INVALID
   */
  ensureOwner(publicKey: string, name?: string): Promise<AuthorizedKey>;
  /**
   * Reads the file again, because a person may have edited it. Resolves after the listeners of {@link onEdited} and
   * {@link onRevoked} have run.
   *
   * @throws OverworldError DATA_FAULTY if the file is faulty, lists a key or a name twice, has a new name that no key
   *   can have, or no longer contains an owner; DATA_FOLDER_UNSAFE if the file cannot be read. The keys in use then
   *   stay unchanged
   */
  reread(): Promise<void>;
  /**
   * Registers a listener for edits of the file by people. Methods that change the file read it first, so that an edit
   * is reported before the change that follows it.
   *
   * @returns a function that unsubscribes
   */
  onEdited(listener: (edit: KeyDifference) => void): () => void;
  /**
   * Registers a listener for keys that were removed or got another limit. The listener has to close the sessions of
   * the key.
   *
   * @returns a function that unsubscribes
   */
  onRevoked(listener: (key: AuthorizedKey) => void | Promise<void>): () => void;
}

/**
 * Keys that an edit of the file has added or removed. A key whose name, role or limit has changed is in both lists.
 */
export interface KeyDifference {
  readonly removed: readonly AuthorizedKey[];
  readonly added: readonly AuthorizedKey[];
}

/**
 * Opens the authorized keys (`<data>/config/keys.json`). If the file is missing, there are no keys.
 *
 * @param now clock for `addedAt` (ms since epoch)
 * @throws OverworldError DATA_FAULTY
 */
export async function openKeyStore(path: string, now: () => number = Date.now): Promise<KeyStore> {
  const file = await openJsonFile(path, keysFileSchema, { keys: [] });
  const listeners = new Set<(key: AuthorizedKey) => void | Promise<void>>();
  let index = indexByFingerprint(file.data.keys);

  const editListeners = new Set<(edit: KeyDifference) => void>();

  async function applyEdits(): Promise<void> {
    const { before, after } = await file
      .reread((now, earlier) => refuseUnusable(path, now.keys, earlier.keys))
      .catch((error: unknown) => {
        throw readError(path, error);
      });
    index = indexByFingerprint(file.data.keys);
    const [old, current] = [indexByFingerprint(before.keys), indexByFingerprint(after.keys)];
    const [removed, added] = [lackingIn(current, old), lackingIn(old, current)];
    if (removed.length + added.length > 0) for (const listener of editListeners) listener({ removed, added });
    for (const key of removed) await notifyRevoked(key);
  }

  async function update(change: (keys: readonly StoredKey[]) => readonly StoredKey[]): Promise<void> {
    // Otherwise, the update would undo an edit that the watch of the file has not reported yet.
    await applyEdits().catch((error: unknown) => {
      if (!hasCode(error, 'DATA_FAULTY')) throw error;
    });
    await file.update((data) => {
      const keys = change(data.keys);
      return keys === data.keys ? data : { keys: [...keys] };
    });
    index = indexByFingerprint(file.data.keys);
  }

  async function notifyRevoked(key: AuthorizedKey): Promise<void> {
    for (const listener of listeners) await listener(key);
  }

  return {
    list: () => [...index.values()],
    find: (blob) => index.get(fingerprintOf(blob)),
    async add({ name, role, publicKey, templates = null }) {
      const key = parsePublicKey(publicKey);
      const stored: StoredKey = {
        name: checkedName(name),
        role,
        ...checkedLimit('keys.add', role, templates),
        publicKey: publicKeyLine(key),
        addedAt: now(),
      };
      await update((keys) => {
        refuseClash(keys, stored);
        return [...keys, stored];
      });
      return toWireKey(stored);
    },
    async limit(nameOrFingerprint, templates) {
      let before: StoredKey | undefined;
      let after: StoredKey | undefined;
      await update((keys) => {
        before = findKey(keys, nameOrFingerprint);
        const { name, role, publicKey, addedAt } = before;
        const limit = checkedLimit('keys.limit', role, templates);
        after = { name, role, ...limit, publicKey, addedAt };
        return isDeepStrictEqual(before.templates, limit.templates)
          ? keys
          : keys.map((key) => (key === before && after !== undefined ? after : key));
      });
      if (after === undefined) throw new OverworldError('KEY_NOT_FOUND', { key: nameOrFingerprint });
      const key = toWireKey(after);
      const changed = !isDeepStrictEqual(before?.templates, after.templates);
      if (changed) await notifyRevoked(key);
      return { key, changed };
    },
    async remove(nameOrFingerprint) {
      let removed: AuthorizedKey | undefined;
      await update((keys) => {
        const found = findKey(keys, nameOrFingerprint);
        const rest = keys.filter((key) => key !== found);
        if (found.role === 'owner' && !rest.some((key) => key.role === 'owner')) {
          throw new OverworldError('KEY_LAST_OWNER', { name: found.name });
        }
        removed = toWireKey(found);
        return rest;
      });
      if (removed === undefined) throw new OverworldError('KEY_NOT_FOUND', { key: nameOrFingerprint });
      await notifyRevoked(removed);
      return removed;
    },
    async ensureOwner(publicKey, name) {
      const parsed = parsePublicKey(publicKey);
      const line = publicKeyLine(parsed);
      await update((keys) => {
        const known = keys.find((key) => key.publicKey === line);
        if (known?.role === 'owner') return keys;
        if (known !== undefined) {
          const owner: StoredKey = {
            name: known.name,
            role: 'owner',
            publicKey: line,
            addedAt: known.addedAt,
          };
          return keys.map((key) => (key === known ? owner : key));
        }
        const wanted = nameSchema.safeParse(name ?? parsed.comment).data ?? 'owner';
        return [...keys, { name: freeKeyName(keys, wanted), role: 'owner', publicKey: line, addedAt: now() }];
      });
      const ensured = index.get(parsed.fingerprint);
      if (ensured === undefined) throw new OverworldError('KEY_NOT_FOUND', { key: parsed.fingerprint });
      return ensured;
    },
    reread: applyEdits,
    onEdited(listener) {
      editListeners.add(listener);
      return () => {
        editListeners.delete(listener);
      };
    },
    onRevoked(listener) {
      listeners.add(listener);
      return () => {
        listeners.delete(listener);
      };
    },
  };
}

/**
 * Validates the name of a key. The admin API has already validated the characters, but the command line that runs
 * without a master has not.
 */
function checkedName(name: string): string {
  const parsed = nameSchema.safeParse(name);
  if (parsed.success && !isReserved(parsed.data)) return parsed.data;
  const why = parsed.success ? reservedWords(parsed.data) : 'a name must have 1 to 64 visible characters';
  throw new OverworldError('PARAMS_INVALID', { method: 'keys.add', why });
}

function reservedWords(name: string): string {
  return `the logs use the name "${name}" for actors that are not keys. Choose a different name`;
}

/**
 * Validates the limit of a key, for the command line that runs without a master.
 *
 * @throws OverworldError KEY_NOT_LIMITABLE, PARAMS_INVALID
 */
function checkedLimit(method: string, role: Role, templates: TemplateLimit): Pick<StoredKey, 'templates'> {
  if (templates === null) return {};
  if (!canBeLimited(role)) throw new OverworldError('KEY_NOT_LIMITABLE', { role });
  const parsed = templateLimitSchema.safeParse(templates);
  if (parsed.success) return { templates: parsed.data };
  const [first] = parsed.error.issues;
  const why = `templates ${first?.message ?? 'are not valid'}`;
  throw new OverworldError('PARAMS_INVALID', { method, why });
}

/** Returns the key with a fingerprint, or else with a name. @throws OverworldError KEY_NOT_FOUND */
function findKey(keys: readonly StoredKey[], nameOrFingerprint: string): StoredKey {
  const found =
    keys.find((key) => toWireKey(key).fingerprint === nameOrFingerprint) ??
    keys.find(({ name }) => name === nameOrFingerprint);
  if (found === undefined) throw new OverworldError('KEY_NOT_FOUND', { key: nameOrFingerprint });
  return found;
}

function isUsable(line: string): boolean {
  try {
    return publicKeyLine(parsePublicKey(line)) === line.split(' ', 2).join(' ');
  } catch {
    return false;
  }
}

function toWireKey({ name, role, templates, publicKey, addedAt }: StoredKey): AuthorizedKey {
  const { fingerprint } = parsePublicKey(publicKey);
  return { name, role, templates: templates ?? null, fingerprint, addedAt };
}

function indexByFingerprint(keys: readonly StoredKey[]): ReadonlyMap<string, AuthorizedKey> {
  return new Map(keys.map(toWireKey).map((key) => [key.fingerprint, key]));
}

/** Returns each key of `index` that `other` lacks, or has with another name, role or limit. */
function lackingIn(
  other: ReadonlyMap<string, AuthorizedKey>,
  index: ReadonlyMap<string, AuthorizedKey>,
): AuthorizedKey[] {
  return [...index.values()].filter((key) => {
    const same = other.get(key.fingerprint);
    return same === undefined || !isDeepStrictEqual({ ...same, addedAt: 0 }, { ...key, addedAt: 0 });
  });
}

/**
 * Throws DATA_FAULTY if the list that a person has edited contains a key or a name twice, or a name that no key can
 * have, is too long, or no longer contains an owner.
 */
function refuseUnusable(path: string, keys: readonly StoredKey[], before: readonly StoredKey[]): void {
  const refuse = (why: string): never => {
    throw new OverworldError('DATA_FAULTY', { path, why });
  };
  const names = keys.map(({ name }) => name);
  if (new Set(names).size < keys.length) refuse('two keys have the same name');
  // A key of an earlier version may have such a name, and keeps it.
  const earlier = new Set(before.map(({ name }) => name));
  const reserved = names.find((name) => isReserved(name) && !earlier.has(name));
  if (reserved !== undefined) refuse(reservedWords(reserved));
  if (new Set(keys.map(({ publicKey }) => publicKey)).size < keys.length) refuse('a key is listed twice');
  if (keys.length > MAX_KEYS) refuse(`it has more than ${MAX_KEYS} keys`);
  const hasOwner = (all: readonly StoredKey[]): boolean => all.some(({ role }) => role === 'owner');
  if (hasOwner(before) && !hasOwner(keys)) refuse('no key has the role owner any more');
}

function refuseClash(keys: readonly StoredKey[], added: StoredKey): void {
  const same = keys.find((key) => key.publicKey === added.publicKey);
  if (same !== undefined) {
    throw new OverworldError('KEY_EXISTS', { name: same.name, fingerprint: toWireKey(same).fingerprint });
  }
  if (keys.some((key) => key.name === added.name)) {
    throw new OverworldError('KEY_NAME_TAKEN', { name: added.name });
  }
  if (keys.length >= MAX_KEYS) throw new OverworldError('TOO_MANY', { what: 'keys', limit: MAX_KEYS });
}

/**
 * Returns a name that no key has and that a key may have: the given name, or the given name with a number, such as
 * `desktop (2)`.
 */
export function freeKeyName(keys: readonly Pick<AuthorizedKey, 'name'>[], name: string): string {
  const names = new Set(keys.map((key) => key.name));
  const isTaken = (one: string): boolean => names.has(one) || isReserved(one);
  if (!isTaken(name)) return name;
  let number = 2;
  while (isTaken(`${name} (${number})`)) number += 1;
  return `${name} (${number})`;
}
