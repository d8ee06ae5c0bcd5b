import semver from 'semver';

/**
 * The parts of an OSV entry that decide which versions it affects (https://ossf.github.io/osv-schema/).
 *
 * @typedef {object} Advisory
 * @property {string} id
 * @property {string} [withdrawn] time at which it was withdrawn
 * @property {string} [summary]
 * @property {{ severity?: string }} [database_specific]
 * @property {readonly Affected[]} [affected]
 *
 * @typedef {object} Affected
 * @property {{ ecosystem: string, name: string }} [package]
 * @property {readonly { type: string, events: readonly Readonly<Record<string, string>>[] }[]} [ranges]
 * @property {readonly string[]} [versions]
 *
 * @typedef {object} Locked a package in a lock file
 * @property {string} name
 * @property {string} version
 *
 * @typedef {object} Finding
 * @property {string} name
 * @property {string} version
 * @property {string} id
 * @property {string} severity such as `HIGH`; `?` if the entry states none
 * @property {string} summary
 * @property {string} fixed next version without the fault, or `-`
 */

/**
 * Returns the packages of an npm lock file (version 2 or 3), sorted by name. If the file contains several versions of
 * a package, the result contains each version once.
 *
 * @param {{ packages?: Record<string, { version?: string, name?: string, link?: boolean }> }} lock
 * @returns {Locked[]}
 */
export function lockedPackages(lock) {
  const found = new Map();
  for (const [path, { version, name, link }] of Object.entries(lock.packages ?? {})) {
    const at = path.lastIndexOf('node_modules/');
    if (at === -1 || link === true || version === undefined) continue;
    // An alias is installed under another name.
    const real = name ?? path.slice(at + 'node_modules/'.length);
    found.set(`${real}@${version}`, { name: real, version });
  }
  return [...found.values()].sort(
    (a, b) => a.name.localeCompare(b.name) || semver.compare(a.version, b.version),
  );
}

/**
 * Returns the locked packages that an advisory affects. Empty if the advisory was withdrawn.
 *
 * @param {Advisory} advisory
 * @param {ReadonlyMap<string, readonly string[]>} versionsOf locked versions by name
 * @returns {Finding[]}
 */
export function findingsOf(advisory, versionsOf) {
  if (advisory.withdrawn !== undefined) return [];
  return (advisory.affected ?? []).flatMap((affected) => {
    const { ecosystem, name } = affected.package ?? { ecosystem: '', name: '' };
    if (ecosystem !== 'npm') return [];
    const hit = (versionsOf.get(name) ?? []).filter((version) => isAffected(version, affected));
    return hit.map((version) => ({
      name,
      version,
      id: advisory.id,
      fixed: fixesFor(version, affected),
      severity: advisory.database_specific?.severity ?? '?',
      summary: advisory.summary ?? '',
    }));
  });
}

/**
 * Returns whether a version is affected, by the evaluation algorithm of the OSV schema. Entries of npm packages have
 * ranges of the type SEMVER. Ranges of git commits are ignored, because lock files name no commits.
 *
 * @param {string} version
 * @param {Affected} affected
 */
export function isAffected(version, { ranges = [], versions = [] }) {
  if (versions.includes(version)) return true;
  return ranges.some(({ type, events }) => type === 'SEMVER' && isInRange(version, events));
}

/**
 * @param {string} version
 * @param {readonly Readonly<Record<string, string>>[]} events
 */
function isInRange(version, events) {
  const limits = events.flatMap(({ limit }) => (limit === undefined || limit === '*' ? [] : [limit]));
  if (limits.length > 0 && !limits.some((limit) => semver.lt(version, limit))) return false;
  let isVulnerable = false;
  for (const { introduced, fixed, last_affected: last } of sorted(events)) {
    if (introduced !== undefined && isAtLeast(version, introduced)) isVulnerable = true;
    if (fixed !== undefined && isAtLeast(version, fixed)) isVulnerable = false;
    if (last !== undefined && semver.gt(version, last)) isVulnerable = false;
  }
  return isVulnerable;
}

/**
 * Returns the events in the order of their versions.
 *
 * @param {readonly Readonly<Record<string, string>>[]} events
 */
function sorted(events) {
  const versionOf = (/** @type {Readonly<Record<string, string>>} */ event) =>
    event['introduced'] ?? event['fixed'] ?? event['last_affected'] ?? event['limit'] ?? '0';
  return events.toSorted((a, b) => semver.compare(full(versionOf(a)), full(versionOf(b))));
}

/**
 * @param {string} version
 * @param {string} other `0` is before all versions
 */
function isAtLeast(version, other) {
  return semver.gte(version, full(other));
}

/** @param {string} version */
function full(version) {
  return version === '0' ? '0.0.0-0' : version;
}

/**
 * Returns the lowest version above an affected one that fixes it. `-` if there is none.
 *
 * @param {string} version
 * @param {Affected} affected
 */
function fixesFor(version, { ranges = [] }) {
  const fixes = ranges.flatMap(({ events }) =>
    events.flatMap(({ fixed }) => (fixed === undefined ? [] : [fixed])),
  );
  const above = fixes.filter((fix) => semver.valid(fix) !== null && semver.gt(fix, version));
  return above.sort(semver.compare)[0] ?? '-';
}
