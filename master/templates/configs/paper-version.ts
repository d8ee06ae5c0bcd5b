/** First minor version of Minecraft 1.x for which Paper has `config/paper-global.yml`. */
const FIRST_WITH_GLOBAL = 19;

/**
 * Returns whether a Paper jar has all its settings in `paper.yml`, as before Minecraft 1.19. Jars from 1.18 on
 * contain their version in `META-INF/versions.list`. Earlier jars do not contain it. They are recognized by
 * `software`, which is another main class or the title of the patched server itself.
 *
 * Example: `minecraft: '1.18.2'` returns true, `'1.19'` returns false.
 */
export function hasOldPaperConfig({
  software,
  minecraft,
}: {
  readonly software: string | null;
  readonly minecraft: string | null;
}): boolean {
  if (minecraft === null) return /paperclip\.Paperclip$|^CraftBukkit/.test(software ?? '');
  const [, minor] = /^1\.(\d+)/.exec(minecraft) ?? [];
  return minor !== undefined && Number(minor) < FIRST_WITH_GLOBAL;
}

/**
 * Parses the Minecraft version in `META-INF/versions.list` (hash, id and path, separated by tabs). Returns null if
 * there is none.
 *
 * Example: a line with the id `1.20.4` gives `1.20.4`.
 */
export function minecraftOf(versionsList: string): string | null {
  const [, id] = versionsList.split('\n', 1)[0]?.split('\t') ?? [];
  return id !== undefined && /^[0-9][0-9A-Za-z.-]{0,31}$/.test(id) ? id : null;
}
