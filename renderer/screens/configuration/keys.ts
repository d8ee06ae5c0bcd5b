import type { AuthorizedKey, Role } from '#shared/model/role.ts';

/** What each role may do, in one sentence. */
export const roleWords: Readonly<Record<Role, string>> = {
  files: 'Only reads and writes files over SFTP, with any SFTP program.',
  viewer: 'Sees everything but secrets, and changes nothing.',
  operator: 'Also starts and stops services, and changes templates and files.',
  owner: 'Also changes this configuration and who has access.',
};

/** The name that a pasted public key brings along: its comment; empty when it has none. */
export function nameInKey(publicKey: string): string {
  return publicKey.trim().split(/\s+/).slice(2).join(' ').slice(0, 64);
}

/** What is wrong with a pasted public key, as far as can be told here; undefined when the master may look at it. */
export function publicKeyProblem(text: string): string | undefined {
  const trimmed = text.trim();
  if (trimmed === '') return 'Paste the one line of a .pub file.';
  if (trimmed.includes('PRIVATE KEY'))
    return 'This is a private key: it stays with its owner. Paste the .pub file.';
  if (!/^(ssh|ecdsa|sk-)[\w@.-]* [A-Za-z0-9+/=]+( .*)?$/.test(trimmed)) {
    return 'This is no public key in OpenSSH form: "ssh-ed25519 AAAA… name".';
  }
  return undefined;
}

/** Why a key cannot be removed; undefined when it can. The master refuses it too. */
export function keepReason(key: AuthorizedKey, all: readonly AuthorizedKey[]): string | undefined {
  const owners = all.filter(({ role }) => role === 'owner');
  return key.role === 'owner' && owners.length === 1
    ? 'It is the last owner: without one, nobody could change who has access'
    : undefined;
}
