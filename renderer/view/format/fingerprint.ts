/** Number of characters in a group. A person can compare this number of characters at a glance. */
const GROUP = 6;

/**
 * Splits a fingerprint into groups, so that a person can compare it or read it out. Omits the name of the hash.
 *
 * Example: `SHA256:qJ3f9cTbW1…` becomes `['qJ3f9c', 'TbW1…']`.
 */
export function toGroups(fingerprint: string): readonly string[] {
  const digest = fingerprint.replace(/^SHA256:/, '');
  const groups: string[] = [];
  for (let at = 0; at < digest.length; at += GROUP) groups.push(digest.slice(at, at + GROUP));
  return groups;
}

/** Returns the indexes of the groups that differ between two fingerprints. */
export function differingGroups(a: string, b: string): ReadonlySet<number> {
  const [left, right] = [toGroups(a), toGroups(b)];
  const length = Math.max(left.length, right.length);
  return new Set(Array.from({ length }, (_, at) => at).filter((at) => left[at] !== right[at]));
}

/**
 * Returns whether the first SHA-256 fingerprint in a pasted text equals the given one. `SHA256:` may be missing in
 * front of it. Other text around the fingerprint is ignored. A fingerprint that contains spaces is not recognised.
 *
 * @param pasted text from `overworld-master status` or `ssh-keyscan … | ssh-keygen -lf -`
 */
export function isSameFingerprint(pasted: string, fingerprint: string): boolean {
  const found = /(?:SHA256:)?([A-Za-z0-9+/]{43})/.exec(pasted.replace(/\s+/g, ' ').trim());
  return found?.[1] === fingerprint.replace(/^SHA256:/, '');
}

/** Returns whether a person has pasted a text that does not match the fingerprint, see {@link isSameFingerprint}. */
export function isOther(pasted: string, fingerprint: string): boolean {
  return pasted.trim() !== '' && !isSameFingerprint(pasted, fingerprint);
}
