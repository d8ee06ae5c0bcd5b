/**
 * Compares two versions by the rules of semver. Build metadata (`+…`) does not count.
 *
 * @returns negative if `a` is older than `b`, positive if it is newer, 0 if both are equal
 */
export function compareVersions(a: string, b: string): number {
  const [ours, theirs] = [parse(a), parse(b)];
  for (const [i, number] of ours.numbers.entries()) {
    const difference = number - (theirs.numbers[i] ?? 0);
    if (difference !== 0) return difference;
  }
  return compareEarly(ours.early, theirs.early);
}

/** Converts the version of a Debian package to the version of its program: `1.0.0~rc.1` → `1.0.0-rc.1`. */
export function fromDebVersion(version: string): string {
  return version.replace('~', '-');
}

interface Version {
  /** Major, minor and patch. */
  readonly numbers: readonly number[];
  /** Parts of a pre-release, such as `rc` and `1`. Empty for a release. */
  readonly early: readonly string[];
}

function parse(version: string): Version {
  const [plain = ''] = version.split('+');
  const at = plain.indexOf('-');
  const [numbers, early] = at === -1 ? [plain, ''] : [plain.slice(0, at), plain.slice(at + 1)];
  const parts = numbers.split('.').map((part) => Number.parseInt(part, 10) || 0);
  return {
    numbers: [0, 1, 2].map((i) => parts[i] ?? 0),
    early: early === '' ? [] : early.split('.'),
  };
}

/**
 * Compares the pre-release parts of two versions. A version without such parts is a release, which is newer than its
 * pre-releases.
 */
function compareEarly(a: readonly string[], b: readonly string[]): number {
  if (a.length === 0 || b.length === 0) return b.length - a.length;
  for (let i = 0; i < Math.max(a.length, b.length); i += 1) {
    const difference = comparePart(a[i], b[i]);
    if (difference !== 0) return difference;
  }
  return 0;
}

/** Compares one pre-release part. A number is older than a word, and a missing part is older than any part. */
function comparePart(a: string | undefined, b: string | undefined): number {
  if (a === undefined || b === undefined) return a === b ? 0 : a === undefined ? -1 : 1;
  const [isNumber, isOtherNumber] = [/^\d+$/.test(a), /^\d+$/.test(b)];
  if (isNumber && isOtherNumber) return Number(a) - Number(b);
  if (isNumber !== isOtherNumber) return isNumber ? -1 : 1;
  return a === b ? 0 : a < b ? -1 : 1;
}
