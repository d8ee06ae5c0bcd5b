import type { PublishedBuild, SoftwareChoice } from '#shared/model/software.ts';
import { loaderOf } from './catalogue/fabric.ts';

/**
 * Returns the newest stable build of a version, if it is newer than the chosen build. Otherwise null, also if the
 * publisher no longer lists the chosen build.
 *
 * @param builds builds of the chosen version, newest first
 */
export function newerBuild(
  { software, build: chosen }: SoftwareChoice,
  builds: readonly PublishedBuild[],
): PublishedBuild | null {
  // The publisher of Fabric does not list builds with earlier installers. Only the loader is part of the server.
  const nameOf = (build: string | null): string | null =>
    software === 'fabric' && build !== null ? loaderOf(build) : build;
  const own = builds.findIndex(({ build }) => nameOf(build) === nameOf(chosen));
  const newest = builds.findIndex(({ stable }) => stable);
  return newest < own ? (builds[newest] ?? null) : null;
}
