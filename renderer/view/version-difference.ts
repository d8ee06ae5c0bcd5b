import { missingAt } from '#shared/rpc/additions.ts';
import { API_VERSION } from '#shared/rpc/contract.ts';
import { VERSION } from '#shared/version.ts';
import type { OverworldError } from '#shared/errors/overworld-error.ts';
import { hasCode } from '#shared/errors/overworld-error.ts';
import type { Link } from '#shared/ipc/contract.ts';

/** Difference between the versions of the connected master and of the app, for one line of the window. */
export interface VersionDifference {
  readonly text: string;
  /** The older side, which a person can update. */
  readonly update: 'master' | 'app';
}

/**
 * Describes what a person notices because app and master have different versions. Null if their admin APIs have the
 * same version, or without a connection.
 *
 * @param missing returns the functions that a master with the given version of the admin API lacks
 */
export function toVersionDifference(
  link: Pick<Link, 'status' | 'master'> | null,
  missing: (apiVersion: number) => readonly string[] = missingAt,
): VersionDifference | null {
  if (link?.status !== 'connected' || link.master === null) return null;
  const { version, apiVersion } = link.master;
  if (apiVersion === API_VERSION) return null;
  const text = `This master is version ${version}, the app is ${VERSION}.`;
  if (apiVersion > API_VERSION) {
    return { text: `${text} What is new in the master is not shown.`, update: 'app' };
  }
  const lacking = missing(apiVersion);
  return {
    text: lacking.length === 0 ? text : `${text} Not available here: ${lacking.join(', ')}.`,
    update: 'master',
  };
}

/**
 * Returns the side that must be updated before the failed request or connection can work. Null for errors with other
 * causes.
 */
export function toNeededUpdate(error: OverworldError | null): 'master' | 'app' | null {
  if (hasCode(error, 'API_VERSION_MISMATCH')) {
    return error.details.theirs < error.details.ours ? 'master' : 'app';
  }
  return hasCode(error, 'UNSUPPORTED_BY_MASTER') ? error.details.update : null;
}
