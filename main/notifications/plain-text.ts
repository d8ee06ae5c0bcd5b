/** Replacements for the characters of markup. They look similar but have no meaning in markup. */
const HARMLESS: Readonly<Record<string, string>> = { '<': '‹', '>': '›', '&': '＆' };

/**
 * Returns the text to pass to a notification, so that the notification shows the text literally. Linux desktops read
 * the text as markup. Services choose the causes of errors, which could otherwise contain links and formatting, or
 * make the text disappear. Escaping is no solution: some desktops show the escapes, and an app cannot tell which ones
 * do (freedesktop.org, Desktop Notifications Specification, Markup).
 *
 * Example: `<b>` → `‹b›` on Linux.
 */
export function plainText(text: string, platform: NodeJS.Platform): string {
  return platform === 'linux'
    ? text.replace(/[<>&]/g, (character) => HARMLESS[character] ?? character)
    : text;
}
