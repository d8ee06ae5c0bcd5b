import { isNewerPluginMessage, pluginMessageSchema, type PluginMessage } from '#shared/link/messages.ts';
import { tolerant } from '#shared/tolerant.ts';

/** Accepts messages with additional keys, because a newer master may have given the service a newer plugin. */
const pluginMessage = tolerant(pluginMessageSchema);

/**
 * Parses a line of a plugin. Returns its message, `newer` if only newer plugins know the type of the message, or null
 * for anything else. Never throws.
 */
export function parseLine(line: Buffer): PluginMessage | 'newer' | null {
  let json: unknown;
  try {
    json = JSON.parse(line.toString('utf8'));
  } catch {
    return null;
  }
  return pluginMessage.safeParse(json).data ?? (isNewerPluginMessage(json) ? 'newer' : null);
}
