import { EULA_URL } from '#shared/model/software.ts';

/** Name of the file in which Minecraft's server looks for the acceptance of the EULA. */
export const EULA_FILE = 'eula.txt';

/**
 * Returns the text of {@link EULA_FILE} after a person has accepted the EULA. The server reads the file as Java
 * properties, so the additional lines are comments.
 *
 * @param by name of the key whose user accepted the EULA; `at`: time of the acceptance (ms since epoch)
 */
export function eulaText({ by, at }: { readonly by: string; readonly at: number }): string {
  const who = by.replace(/[^\x20-\x7e]/g, '?');
  return `# ${EULA_URL}\n# Accepted by ${who} in Overworld on ${new Date(at).toISOString()}.\neula=true\n`;
}
