/** Similar characters that mean nothing in markup. */
const HARMLESS: Readonly<Record<string, string>> = { '<': '‹', '>': '›', '&': '＆' };

/**
 * Returns a text that a notification shows as it is. Linux desktops read the text as markup, so causes of errors, which
 * services choose, could contain links and formatting, or make the text disappear. Escaping does not help: some desktops
 * show the escapes, and they do not say so (freedesktop.org, Desktop Notifications Specification, Markup).
 *
 * Example: `<b>` → `‹b›` on Linux.
 */
export function plainText(text: string, platform: NodeJS.Platform): string {
  return platform === 'linux'
    ? text.replace(/[<>&]/g, (character) => HARMLESS[character] ?? character)
    : text;
}
