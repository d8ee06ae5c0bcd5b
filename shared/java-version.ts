/** Feature versions of Java with long-term support that server software needs, oldest first. */
export const LTS_VERSIONS = [8, 11, 17, 21, 25] as const;

/**
 * Major class file version minus feature version. The difference is the same for all versions from Java 1.2 on (Java
 * Virtual Machine Specification, table 4.1-A).
 *
 * Example: 65 − 21 for Java 21.
 */
const CLASS_FILE_OFFSET = 44;

/**
 * Returns the feature version of a Java version string (JEP 223, and the older scheme of Java 8). Null if the text is
 * no Java version.
 *
 * Example: `17.0.15` → 17, `1.8.0_392` → 8, `25` → 25, `25-ea` → 25.
 */
export function featureOf(version: string): number | null {
  const [, first, second] = /^(\d{1,3})(?:\.(\d{1,3}))?(?![\d])/.exec(version) ?? [];
  if (first === undefined) return null;
  const feature = Number(first === '1' ? (second ?? first) : first);
  return feature > 0 ? feature : null;
}

/**
 * Returns the oldest Java that can load a class file. Null if no Java has this class file version.
 *
 * Example: 61 → 17, 69 → 25.
 */
export function featureOfClassFile(major: number): number | null {
  const feature = major - CLASS_FILE_OFFSET;
  return Number.isInteger(feature) && feature >= 1 && feature < 1000 ? feature : null;
}

/**
 * The first versions of Minecraft that need a newer Java, newest first, each with the needed Java. Source: the
 * publisher's version files.
 */
const MINECRAFT_JAVA = [
  { from: [26, 0, 0], java: 25 },
  { from: [1, 20, 5], java: 21 },
  { from: [1, 18, 0], java: 17 },
  { from: [1, 17, 0], java: 16 },
  { from: [1, 0, 0], java: 8 },
] as const;

/**
 * Returns the Java that a release of Minecraft needs. Null if the text is not the version of a release.
 *
 * Example: `1.16.5` → 8, `1.20.4` → 17, `1.21.4` → 21, `26.1` → 25.
 */
export function javaOfMinecraft(version: string): number | null {
  const match = /^(\d{1,3})\.(\d{1,3})(?:\.(\d{1,3}))?(?![\d.])/.exec(version);
  if (match === null) return null;
  const [major, minor, patch] = [Number(match[1]), Number(match[2]), Number(match[3] ?? 0)];
  const row = MINECRAFT_JAVA.find(
    ({ from: [a, b, c] }) => major > a || (major === a && (minor > b || (minor === b && patch >= c))),
  );
  return row?.java ?? null;
}

/** Information in a jar about the Java that it needs. A value is null if the jar does not contain it. */
export interface JavaFacts {
  /** Major class file version of the main class. */
  readonly classFile: number | null;
  /** `java_version` in `version.json`, which jars of Minecraft 1.17 and later contain. */
  readonly declared: number | null;
  /** Version of Minecraft. */
  readonly minecraft: string | null;
  /** Attribute `Java-Version` of the manifest. */
  readonly javaVersion: string | null;
  /** Attribute `Build-Jdk-Spec` of the manifest: the Java that built the jar. The jar may run on an older Java. */
  readonly buildJdk: string | null;
}

/**
 * Returns the oldest Java that can start a jar. Null if it is unknown.
 *
 * The class file version alone is not enough: Paper's main class is compiled for Java 8, so that it can print a
 * message on an old Java. The Java that built the jar only counts if nothing else is known.
 *
 * Example: a main class of version 52 and a `java_version` of 21 → 21.
 */
export function javaNeedOf(facts: JavaFacts): number | null {
  const { classFile, declared, minecraft, javaVersion, buildJdk } = facts;
  const stated =
    declared ?? (minecraft === null ? null : javaOfMinecraft(minecraft)) ?? featureOrNull(javaVersion);
  const compiled = classFile === null ? null : featureOfClassFile(classFile);
  if (stated === null && compiled === null) return featureOrNull(buildJdk);
  return Math.max(stated ?? 1, compiled ?? 1);
}

function featureOrNull(version: string | null): number | null {
  return version === null ? null : featureOf(version);
}

/**
 * Chooses the Java for a service from the versions that a node has. Prefers the node's default, and then the oldest
 * version that is new enough, because old server software fails on a Java that is much newer.
 *
 * Example: default 17, also 25 and 21. A need of 21 → 21; a need of 17 → 17, the default.
 *
 * @param wanted `exactly`: a feature version that a person chose; `atLeast`: the need of a jar, null if unknown
 * @param available feature versions on the node, the default first
 * @returns null if none fits
 */
export function chooseJava<J extends { readonly feature: number }>(
  wanted: { readonly exactly: number } | { readonly atLeast: number | null },
  available: readonly J[],
): J | null {
  const fits = available.filter(({ feature }) =>
    'exactly' in wanted ? feature === wanted.exactly : feature >= (wanted.atLeast ?? 0),
  );
  const [first] = fits;
  if (first === undefined || first === available[0]) return first ?? null;
  return fits.reduce((best, one) => (one.feature < best.feature ? one : best));
}

/**
 * Returns the version of Java to install for a need. If the needed version has long-term support, this is the needed
 * version. Otherwise it is the next newer version with long-term support. A version that is newer than all versions
 * in {@link LTS_VERSIONS} is returned unchanged.
 *
 * Example: 16 → 17, 21 → 21, 26 → 26.
 */
export function installableFor(need: number): number {
  return LTS_VERSIONS.find((version) => version >= need) ?? need;
}
