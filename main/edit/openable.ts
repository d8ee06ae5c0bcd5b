/**
 * Extensions of files that are opened in other programs: those that desktops show or edit, and never run, install or
 * follow. Documents with scripts or macros of their own (HTML, SVG, office files) and archives are not among them.
 */
const OPENABLE: ReadonlySet<string> = new Set([
  // Texts of Minecraft software
  ...['properties', 'yml', 'yaml', 'json', 'json5', 'jsonc', 'toml', 'hocon', 'conf', 'cfg', 'ini', 'lang'],
  ...['mcmeta', 'mcfunction', 'snbt', 'sk'],
  // Other texts
  ...['txt', 'text', 'md', 'markdown', 'log', 'csv', 'tsv', 'sql', 'diff', 'patch', 'bak', 'old', 'example'],
  // Data of worlds
  ...['dat', 'dat_old', 'nbt', 'mca', 'mcr', 'schem', 'schematic', 'litematic'],
  // Pictures, sounds, videos and fonts
  ...['png', 'jpg', 'jpeg', 'gif', 'webp', 'bmp', 'ogg', 'mp3', 'wav', 'flac', 'mp4', 'webm', 'mkv'],
  'pdf',
]);

/**
 * Returns whether a file may be opened in this computer's default program for it. A person with write access to the
 * master must not be able to run programs on this computer, so only known harmless types are allowed. A file without
 * an extension is not: desktops guess its type from its content, which that person chooses.
 *
 * Example: `server.properties` → true; `tool.exe`, `start.sh`, `LICENSE` → false.
 */
export function isOpenable(name: string): boolean {
  const extension = /[^.]\.([a-z0-9_]+)$/i.exec(name)?.[1]?.toLowerCase();
  return extension !== undefined && OPENABLE.has(extension);
}

/** Beginnings of a web page, of XML such as SVG, and of a launcher, for which desktops search in the first bytes. */
const DISGUISES = /<(!doctype html|html|head|body|title|script|iframe|h1|svg|\?xml)[\s>]|\[desktop entry\]/i;

/** Number of bytes at the beginning of a file that {@link isDisguised} searches. Those of shared-mime-info are 256. */
export const SEARCHED_BYTES = 1024;

/**
 * Returns whether a Linux desktop may open a file as a web page or run it as a launcher, whatever its name is. Desktops
 * decide by the content if they do not know an extension, such as `.properties`, or if none is installed.
 *
 * Example: a `server.properties` that begins with `<html>` → true.
 */
export function isDisguised(content: Uint8Array): boolean {
  // UTF-16 has a zero after each character of ASCII.
  return DISGUISES.test(
    Buffer.from(content.slice(0, SEARCHED_BYTES)).toString('latin1').replaceAll('\0', ''),
  );
}
