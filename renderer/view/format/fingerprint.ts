/** Characters of a group: as many as can be compared in one look. */
const GROUP = 6;

/**
 * A fingerprint in groups, to be compared with another one by eye or read out: `SHA256:qJ3f9cTbW1…` becomes
 * `['qJ3f9c', 'TbW1…']`, without the name of the hash.
 */
export function toGroups(fingerprint: string): readonly string[] {
  const digest = fingerprint.replace(/^SHA256:/, '');
  const groups: string[] = [];
  for (let at = 0; at < digest.length; at += GROUP) groups.push(digest.slice(at, at + GROUP));
  return groups;
}

/** Which groups differ between two fingerprints, by index of the longer one. */
export function differingGroups(a: string, b: string): ReadonlySet<number> {
  const [left, right] = [toGroups(a), toGroups(b)];
  const length = Math.max(left.length, right.length);
  return new Set(Array.from({ length }, (_, at) => at).filter((at) => left[at] !== right[at]));
}

/**
 * True when what a person pasted is the fingerprint: blanks and the name of the hash do not count.
 *
 * @param pasted as it came from `overworld-master status`, or `ssh-keyscan … | ssh-keygen -lf -`
 */
export function isSameFingerprint(pasted: string, fingerprint: string): boolean {
  const found = /(?:SHA256:)?([A-Za-z0-9+/]{43})/.exec(pasted.replace(/\s+/g, ' ').trim());
  return found?.[1] === fingerprint.replace(/^SHA256:/, '');
}
