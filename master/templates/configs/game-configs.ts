import type { Forwarding } from '../provision.ts';
import { settle } from './splice.ts';
import { quotedText, YamlEditor, type SettingTree } from './yaml-editor.ts';

/** Config file of Spigot, of software derived from it, and of the practice server. */
export const SPIGOT_CONFIG = 'spigot.yml';
/** Config file of Paper for Minecraft 1.19 and later. */
export const PAPER_CONFIG = 'config/paper-global.yml';
/**
 * Config file of versions of Paper before 1.19. Later versions overwrite {@link PAPER_CONFIG} with this file if it
 * exists, so Overworld never creates it for them.
 */
export const OLD_PAPER_CONFIG = 'paper.yml';

/** Settings to change. With `isFill`, settings that are missing in the file are added as well. */
interface Change {
  readonly tree: SettingTree;
  readonly isFill: boolean;
}

/**
 * Returns the text of `spigot.yml` with `bungeecord` set. With legacy forwarding, this setting is true, so that the
 * server trusts forwarded identities and refuses other connections. With modern forwarding it must be false, because
 * a server cannot use both kinds at the same time.
 *
 * @param text latin1; null if the file does not exist
 * @returns null if the file does not exist and is not needed
 * @throws DefaultFileProblem with the line number, if the text is not YAML
 */
export function withSpigotConfig(text: string | null, { kind }: Forwarding): string | null {
  const isFill = kind === 'legacy';
  return withChanges(SPIGOT_CONFIG, text, [{ tree: { settings: { bungeecord: String(isFill) } }, isFill }]);
}

/**
 * Returns the text of `config/paper-global.yml`. Enables modern forwarding and sets its secret, or disables it. Also
 * sets whether player ids come from Mojang. Parameters and result are as in {@link
 * withSpigotConfig}.
 */
export function withPaperConfig(text: string | null, forwarding: Forwarding): string | null {
  const changes = paperChanges(forwarding, {
    modern: (velocity) => ({ proxies: { velocity } }),
    legacy: (ids) => ({ proxies: { 'bungee-cord': { 'online-mode': ids } } }),
  });
  return withChanges(PAPER_CONFIG, text, changes);
}

/**
 * Returns the text of `paper.yml`, with the same settings as {@link withPaperConfig}, for Paper before Minecraft
 * 1.19.
 */
export function withOldPaperConfig(text: string | null, forwarding: Forwarding): string | null {
  const changes = paperChanges(forwarding, {
    modern: (velocity) => ({ settings: { 'velocity-support': velocity } }),
    legacy: (ids) => ({ settings: { 'bungee-online-mode': ids } }),
  });
  return withChanges(OLD_PAPER_CONFIG, text, changes);
}

/** Functions that return the settings of each kind of forwarding, nested as the file expects them. */
interface PaperPlaces {
  readonly modern: (velocity: SettingTree) => SettingTree;
  readonly legacy: (ids: string) => SettingTree;
}

function paperChanges({ kind, secret, checked }: Forwarding, places: PaperPlaces): readonly Change[] {
  const ids = String(checked);
  if (kind === 'modern') {
    const velocity = { enabled: 'true', 'online-mode': ids, secret: quotedText(secret) };
    return [{ tree: places.modern(velocity), isFill: true }];
  }
  return [
    { tree: places.modern({ enabled: 'false' }), isFill: false },
    // By default, Paper assumes that ids come from Mojang, so the setting is added only if they do not.
    { tree: places.legacy(ids), isFill: !checked },
  ];
}

function withChanges(path: string, text: string | null, changes: readonly Change[]): string | null {
  if (text === null && !changes.some(({ isFill }) => isFill)) return null;
  return settle(path, text ?? '', (now) => {
    const editor = new YamlEditor(path, now);
    for (const { tree, isFill } of changes) {
      if (isFill) editor.setAll(tree);
      else editor.setThose(tree);
    }
    return editor.edits;
  });
}
