import type { AuthorizedKey } from '#shared/model/access/role.ts';

export type KeyChangeKind = 'key.added' | 'key.limited' | 'key.removed';

/** A change of the authorized keys, for the activity log, the security log and the `keys` topic. */
export interface KeyChange {
  readonly kind: KeyChangeKind;
  /** The key after the change. For a removed key, the key before its removal. */
  readonly key: AuthorizedKey;
  /** Name of the key that made the change. */
  readonly actor: string;
}

/** Describes a change of a key in one sentence without its full stop. */
export function keyChangeWords(kind: KeyChangeKind, { name, role, templates }: AuthorizedKey): string {
  const limit = templates === null ? '' : ` for ${templates.join(', ')}`;
  switch (kind) {
    case 'key.added':
      return `Key ${name} was authorized as ${role}${limit}`;
    case 'key.limited':
      return templates === null
        ? `Key ${name} (${role}) is for all templates now`
        : `Key ${name} (${role}) is only${limit} now`;
    case 'key.removed':
      return `Key ${name} was removed`;
  }
}
