import type { Forwarding } from '../provision.ts';
import { settle } from './splice.ts';
import { quotedText, YamlEditor, type SettingTree } from './yaml-editor.ts';

/** Of Spigot and all that come from it, and of the practice server. */
export const SPIGOT_CONFIG = 'spigot.yml';
/** Of Paper for Minecraft 1.19 and later. */
export const PAPER_CONFIG = 'config/paper-global.yml';
/** Of Paper before that. A later one puts its content in place of {@link PAPER_CONFIG}, so it is never made for those. */
export const OLD_PAPER_CONFIG = 'paper.yml';

/** `isFill`: also where the file does not say it yet. */
interface Wish {
  readonly tree: SettingTree;
  readonly isFill: boolean;
}

/**
 * Text of `spigot.yml`: legacy forwarding is believed, and who comes without is refused. With modern forwarding that must be
 * off, as only one of them works at a time.
 *
 * @param text latin1; null where there is none
 * @returns null: the file is not needed
 * @throws DefaultFileProblem naming the line, when it is no YAML
 */
export function withSpigotConfig(text: string | null, { kind }: Forwarding): string | null {
  const isFill = kind === 'legacy';
  return granted(SPIGOT_CONFIG, text, [{ tree: { settings: { bungeecord: String(isFill) } }, isFill }]);
}

/**
 * Text of `config/paper-global.yml`: modern forwarding with its secret, or none of it; and whether players' ids are those of
 * Mojang. Parameters and result as of {@link withSpigotConfig}.
 */
export function withPaperConfig(text: string | null, forwarding: Forwarding): string | null {
  const overrideCommands = paperWishes(forwarding, {
    modern: (velocity) => ({ proxies: { velocity } }),
    legacy: (ids) => ({ proxies: { 'bungee-cord': { 'online-mode': ids } } }),
  });
  return granted(PAPER_CONFIG, text, overrideCommands);
}

/** Text of `paper.yml`: the same for Paper before Minecraft 1.19. */
export function withOldPaperConfig(text: string | null, forwarding: Forwarding): string | null {
  const overrideCommands = paperWishes(forwarding, {
    modern: (velocity) => ({ settings: { 'velocity-support': velocity } }),
    legacy: (ids) => ({ settings: { 'bungee-online-mode': ids } }),
  });
  return granted(OLD_PAPER_CONFIG, text, overrideCommands);
}

/** Where in its file each kind of forwarding stands. */
interface PaperPlaces {
  readonly modern: (velocity: SettingTree) => SettingTree;
  readonly legacy: (ids: string) => SettingTree;
}

function paperWishes({ kind, secret, checked }: Forwarding, places: PaperPlaces): readonly Wish[] {
  const ids = String(checked);
  if (kind === 'modern') {
    const velocity = { enabled: 'true', 'online-mode': ids, secret: quotedText(secret) };
    return [{ tree: places.modern(velocity), isFill: true }];
  }
  return [
    { tree: places.modern({ enabled: 'false' }), isFill: false },
    // Paper takes them for Mojang's unless it is told otherwise.
    { tree: places.legacy(ids), isFill: !checked },
  ];
}

function granted(path: string, text: string | null, overrideCommands: readonly Wish[]): string | null {
  if (text === null && !overrideCommands.some(({ isFill }) => isFill)) return null;
  return settle(path, text ?? '', (now) => {
    const editor = new YamlEditor(path, now);
    for (const { tree, isFill } of overrideCommands) {
      if (isFill) editor.setAll(tree);
      else editor.setThose(tree);
    }
    return editor.edits;
  });
}
