import { canBeLimited, type AuthorizedKey, type Role } from '#shared/model/access/role.ts';
import { limitWords } from '#shared/model/access/template-limit.ts';

/** Describes each role in one sentence. */
export const roleWords: Readonly<Record<Role, string>> = {
  files: 'Can read and write files over SFTP, with any SFTP client.',
  viewer: 'Can see everything except secrets and contents of files, and cannot change anything.',
  operator: 'Can also start and stop services, and change templates and files.',
  owner: 'Can also change this configuration and who has access.',
};

/** Returns the comment of a pasted public key, which serves as the key's name. Empty if there is none. */
export function nameInKey(publicKey: string): string {
  return publicKey.trim().split(/\s+/).slice(2).join(' ').slice(0, 64);
}

/**
 * Returns a message if a pasted public key is obviously invalid. Undefined otherwise; the master then checks the key.
 */
export function publicKeyProblem(text: string): string | undefined {
  const trimmed = text.trim();
  if (trimmed === '') return 'Paste the line of a .pub file.';
  if (trimmed.includes('PRIVATE KEY'))
    return 'This is a private key. Keep it secret and paste the .pub file instead.';
  if (!/^(ssh|ecdsa|sk-)[\w@.-]* [A-Za-z0-9+/=]+( .*)?$/.test(trimmed)) {
    return 'This is not a public key in OpenSSH format: "ssh-ed25519 AAAA… name".';
  }
  return undefined;
}

/**
 * Returns why an authorized SSH key cannot be removed. Undefined if the key can be removed. The master enforces the
 * same rule.
 */
export function keepReason(key: AuthorizedKey, all: readonly AuthorizedKey[]): string | undefined {
  const owners = all.filter(({ role }) => role === 'owner');
  return key.role === 'owner' && owners.length === 1
    ? 'It is the last owner. Without an owner, access can no longer be changed'
    : undefined;
}

/**
 * Converts the typed ids of templates to the limit of a key. Null if there are none: the key is then valid for all
 * templates.
 */
export function limitOf(templates: readonly string[]): string[] | null {
  return templates.length === 0 ? null : [...templates];
}

/** Returns the templates for which a key is valid, in words. */
export function templatesWords({ templates }: Pick<AuthorizedKey, 'templates'>): string {
  return templates === null ? 'all templates' : limitWords(templates);
}

/** Returns why a key cannot be limited to certain templates. Undefined if the key can be limited. */
export function limitReason({ role }: Pick<AuthorizedKey, 'role'>): string | undefined {
  return canBeLimited(role) ? undefined : `The role ${role} is for all templates`;
}
