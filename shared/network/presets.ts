import { checkDocument } from '../config/document.ts';
import { templateConfigSchema, type TemplateConfig } from '../config/template.ts';
import { templateIdSchema } from '../model/template.ts';

/** Type of a template: whether its services are proxies or game servers. */
export type TemplateType = 'proxy' | 'game';

/** A preset for a new template. It only fills in fields; all of them can be changed later. */
export interface Preset {
  readonly id: 'proxy' | 'lobby' | 'game' | 'other';
  readonly label: string;
  readonly text: string;
  readonly suggestedName: string;
  /** Values that differ from the defaults of the schema. */
  readonly values: Partial<TemplateConfig>;
  /** Whether the services are proxies. Null if the user has to choose. */
  readonly isProxy: boolean | null;
}

/** Presets for a proxy, a lobby, and a game mode. */
export const presetOf = {
  proxy: {
    id: 'proxy',
    label: 'Proxy',
    text: 'Players connect to it, and it sends them to game servers.',
    suggestedName: 'Proxy',
    isProxy: true,
    values: { minimumRunningServers: 1, maximumOnlineServers: 2, maxPlayers: 500, maxJvmMemory: 512 },
  },
  lobby: {
    id: 'lobby',
    label: 'Lobby',
    text: 'Game servers that players join first. One empty service is kept ready, and more start as they fill.',
    suggestedName: 'Lobby',
    isProxy: false,
    values: {
      isFallback: true,
      minimumRunningServers: 1,
      maximumOnlineServers: 4,
      startNewServiceAtTemplateCapacity: 80,
      maxPlayers: 50,
      priority: 2,
    },
  },
  game: {
    id: 'game',
    label: 'Game mode',
    text: 'Game servers for a round or a game, such as Bed Wars. One empty service is kept ready for the next round.',
    suggestedName: 'Game',
    isProxy: false,
    values: {
      minimumRunningServers: 1,
      maximumOnlineServers: 6,
      maxPlayers: 20,
      maxJvmMemory: 2048,
      priority: 3,
    },
  },
} as const satisfies Record<string, Preset>;

export const presets: readonly [Preset, ...Preset[]] = [
  presetOf.lobby,
  presetOf.game,
  presetOf.proxy,
  {
    id: 'other',
    label: 'Something else',
    text: 'No service starts by itself. You say whether it is a proxy, and set what you need.',
    suggestedName: '',
    isProxy: null,
    values: { maxPlayers: 20 },
  },
];

/**
 * Returns the whole configuration of a new template. It consists of the defaults, the preset's values, the type and
 * the name.
 *
 * @param isProxy whether the template's services are proxies
 */
export function configOf(preset: Preset, isProxy: boolean, name: string): TemplateConfig {
  return { ...templateConfigSchema.parse({}), ...preset.values, isProxy, name };
}

/**
 * Suggests an unused id for a name: lower-case letters and digits, words joined by hyphens, at most 28 characters. If
 * the id is taken, adds a number. Empty if the name contains no such characters.
 */
export function suggestId(name: string, taken: readonly string[]): string {
  const plain = name
    .normalize('NFKD')
    .replace(/\p{Mark}/gu, '')
    .replaceAll('ß', 'ss')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '')
    .slice(0, 28)
    .replace(/-+$/, '');
  if (plain === '' || !taken.includes(plain)) return plain;
  for (let n = 2; ; n += 1) {
    if (!taken.includes(`${plain}-${n}`)) return `${plain}-${n}`;
  }
}

/** Returns what is wrong with the id of a new template. Undefined if the id is valid and unused. */
export function idProblem(id: string, taken: readonly string[]): string | undefined {
  if (id === '') return 'Enter an id. It is the name of the folder of the template.';
  if (id.length > 32) return `At most 32 characters (this has ${id.length}).`;
  if (/[A-Z]/.test(id)) return 'Use only lowercase letters.';
  if (!templateIdSchema.safeParse(id).success) {
    return 'Use only lowercase letters, digits and hyphens, and no hyphen at the beginning.';
  }
  if (taken.includes(id)) return `A template with the id "${id}" already exists.`;
  return undefined;
}

/** Returns what is wrong with the name of a new template. Undefined if the name is valid. */
export function nameProblem(name: string): string | undefined {
  const reading = checkDocument(templateConfigSchema, { name });
  const problem = reading.kind === 'ok' ? undefined : reading.problems[0];
  return problem === undefined ? undefined : `The name ${problem.problem}.`;
}
