/** First minor version of Minecraft 1 whose Paper has `config/paper-global.yml`. */
const FIRST_WITH_GLOBAL = 19;

/**
 * Whether a Paper has all its settings in `paper.yml`: those for Minecraft before 1.19. Jars from 1.18 on name their version in
 * `META-INF/versions.list`; those before have another main class, or are the patched server itself.
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

/** The version of Minecraft in the text of `META-INF/versions.list` (hash, id and path, parted by tabs); null: none. */
export function minecraftOf(versionsList: string): string | null {
  const [, id] = versionsList.split('\n', 1)[0]?.split('\t') ?? [];
  return id !== undefined && /^[0-9][0-9A-Za-z.-]{0,31}$/.test(id) ? id : null;
}
