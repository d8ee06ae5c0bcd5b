/**
 * Extensions of files that may be opened in other programs. Desktops only show or edit such files; they never run,
 * install or follow them. Archives and documents that can contain scripts or macros (HTML, SVG, PDF, office files) are not
 * included.
 */
const OPENABLE: ReadonlySet<string> = new Set([
  // Texts of Minecraft software
  ...['properties', 'yml', 'yaml', 'json', 'json5', 'jsonc', 'toml', 'hocon', 'conf', 'cfg', 'ini', 'lang'],
  ...['mcmeta', 'mcfunction', 'snbt', 'sk'],
  // Other texts
  ...['txt', 'text', 'md', 'markdown', 'log', 'csv', 'tsv', 'sql', 'diff', 'patch', 'bak', 'old', 'example'],
  // Data of worlds
  ...['dat', 'dat_old', 'nbt', 'mca', 'mcr', 'schem', 'schematic', 'litematic'],
  // Pictures, sounds and videos
  ...['png', 'jpg', 'jpeg', 'gif', 'webp', 'bmp', 'ogg', 'mp3', 'wav', 'flac', 'mp4', 'webm', 'mkv'],
]);

/**
 * Returns whether a file may be opened in this computer's default program for its type. A person with write access to
 * the master must not be able to run programs on this computer, so only known harmless types are allowed. Files
 * without an extension are not allowed: desktops guess their type from their content, and the person on the master
 * chooses the content.
 *
 * Example: `server.properties` → true; `tool.exe`, `start.sh`, `LICENSE` → false.
 */
export function isOpenable(name: string): boolean {
  const extension = /[^.]\.([a-z0-9_]+)$/i.exec(name)?.[1]?.toLowerCase();
  return extension !== undefined && OPENABLE.has(extension);
}

/** Matches text that makes a desktop take a file for a web page, XML such as SVG, or a launcher. */
const DISGUISES = /<(!doctype html|html|head|body|title|script|iframe|h1|svg|\?xml)[\s>]|\[desktop entry\]/i;

/**
 * Number of bytes at the beginning of a file that {@link isDisguised} searches. shared-mime-info, which Linux
 * desktops use, searches only 256.
 */
export const SEARCHED_BYTES = 1024;

/**
 * Returns whether a Linux desktop may open a file as a web page or run it as a launcher, whatever the file's name is.
 * Desktops decide by the content if they do not know the extension, such as `.properties`, or if no database of file
 * types is installed.
 *
 * Example: a `server.properties` that begins with `<html>` → true.
 */
export function isDisguised(content: Uint8Array): boolean {
  // UTF-16 has a zero after each character of ASCII.
  return DISGUISES.test(
    Buffer.from(content.slice(0, SEARCHED_BYTES)).toString('latin1').replaceAll('\0', ''),
  );
}
