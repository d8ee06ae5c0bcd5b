import type { PublishedBuild, PublishedVersion, SoftwareId } from '#shared/model/software.ts';

/** Software that is downloaded from its publisher. */
export type PublishedSoftware = Exclude<SoftwareId, `practice-${string}`>;

/** The hash that the publisher states for a file, in hex. */
export interface StatedHash {
  readonly algorithm: 'sha256' | 'sha1' | 'md5';
  readonly value: string;
}

/** A jar at its publisher. */
export interface PublishedJar {
  readonly url: string;
  /** Size of the jar (bytes). Null if the publisher does not state it. */
  readonly bytes: number | null;
  /** Hash of the jar. Null if the publisher does not state one. */
  readonly hash: StatedHash | null;
}

/** API of the publisher of some software. All methods throw the errors of HttpSource (http-source.ts). */
export interface SoftwareSource {
  /** Lists versions, newest first. */
  versions(software: PublishedSoftware): Promise<readonly PublishedVersion[]>;
  /** Lists builds of a version, newest first. */
  builds(software: PublishedSoftware, version: string): Promise<readonly PublishedBuild[]>;
  /** Finds the jar of a build. @throws OverworldError SOFTWARE_NOT_FOUND if there is no such build */
  jar(software: PublishedSoftware, version: string, build: string | null): Promise<PublishedJar>;
}
