import type { Forwarding } from '../provision.ts';
import { settle } from './splice.ts';
import { quotedText, YamlEditor, type SettingTree } from './yaml-editor.ts';

/** Config file of Spigot, of software derived from it, and of the practice server. */
export const SPIGOT_CONFIG = 'spigot.yml';
/** Config file of Paper for Minecraft 1.19 and later. */
export const PAPER_CONFIG = 'config/paper-global.yml';
/**
 * Config file of earlier versions of Paper. Later versions replace {@link PAPER_CONFIG} with its content, so it is
 * never created for them.
 */
export const OLD_PAPER_CONFIG = 'paper.yml';

/** Settings to change. With `isFill` they are also added if the file lacks them. */
interface Change {
  readonly tree: SettingTree;
  readonly isFill: boolean;
}

/**
 * Returns the text of `spigot.yml` with `bungeecord` set. With legacy forwarding it is true, so that forwarded
 * identities are trusted and other connections refused. With modern forwarding it must be false, because only one
 * of them works at a time.
 *
 * @param text latin1; null if the file does not exist
 * @returns null if the file is not needed
 * @throws DefaultFileProblem with the line number, if the text is not YAML
 */
export function withSpigotConfig(text: string | null, { kind }: Forwarding): string | null {
  const isFill = kind === 'legacy';
  return withChanges(SPIGOT_CONFIG, text, [{ tree: { settings: { bungeecord: String(isFill) } }, isFill }]);
}

/**
 * Returns the text of `config/paper-global.yml` with modern forwarding and its secret set, or with modern
 * forwarding switched off, and with the setting whether player ids come from Mojang. Parameters and result are as
 * in {@link withSpigotConfig}.
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

/** Builds the settings of each kind of forwarding at their place in the file. */
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
    // Paper assumes ids from Mojang by default, so the setting is only needed otherwise.
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
