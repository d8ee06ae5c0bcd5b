import { checkDocument } from '#shared/config/document.ts';
import { templateConfigSchema, type TemplateConfig } from '#shared/config/template.ts';
import { templateIdSchema } from '#shared/model/template.ts';

/** A preset for a new template: it only fills in fields, and everything can be changed later. */
export interface Preset {
  readonly id: 'lobby' | 'proxy' | 'practice' | 'practice-proxy' | 'empty';
  readonly label: string;
  readonly text: string;
  readonly suggestedName: string;
  /** Values that differ from the schema's defaults. */
  readonly values: Partial<TemplateConfig>;
}

export const presets: readonly [Preset, ...Preset[]] = [
  {
    id: 'lobby',
    label: 'Lobby (game server)',
    text: 'Players join here first. One empty service is kept ready, and more start as they fill.',
    suggestedName: 'Lobby',
    values: {
      isProxy: false,
      isFallback: true,
      minimumRunningServers: 1,
      maximumOnlineServers: 4,
      startNewServiceAtTemplateCapacity: 80,
      maxPlayers: 50,
      priority: 2,
    },
  },
  {
    id: 'proxy',
    label: 'Proxy',
    text: 'Players connect to it, and it sends them to game servers.',
    suggestedName: 'Proxy',
    values: {
      isProxy: true,
      minimumRunningServers: 1,
      maximumOnlineServers: 2,
      maxPlayers: 500,
      maxJvmMemory: 512,
    },
  },
  {
    id: 'practice',
    label: 'Practice server (for trying out)',
    text: 'A small server included in this app. Players can join it, but it is not a real Minecraft server.',
    suggestedName: 'Practice',
    values: {
      isProxy: false,
      isFallback: true,
      maximumOnlineServers: 2,
      maxPlayers: 10,
      minJvmMemory: 32,
      maxJvmMemory: 128,
    },
  },
  {
    id: 'practice-proxy',
    label: 'Practice proxy (for trying out)',
    text: 'A small proxy included in this app. Together with the practice server, it makes a complete network.',
    suggestedName: 'Practice proxy',
    values: {
      isProxy: true,
      minimumRunningServers: 1,
      maximumOnlineServers: 2,
      maxPlayers: 50,
      minJvmMemory: 32,
      maxJvmMemory: 128,
    },
  },
  {
    id: 'empty',
    label: 'Start from defaults',
    text: 'Every setting at its default. You change what you need.',
    suggestedName: '',
    values: {},
  },
];

/** Returns the whole configuration of a new template: the defaults, the preset's values, the name. */
export function configOf(preset: Preset, name: string): TemplateConfig {
  return { ...templateConfigSchema.parse({}), ...preset.values, name };
}

/** Suggests an unused id for a name: lower-case letters and digits, words joined by hyphens. */
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

/** Returns what is wrong with the id of a new template. Undefined if it can be used. */
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

/** Returns what is wrong with the name of a new template. Undefined if it can be used. */
export function nameProblem(name: string): string | undefined {
  const reading = checkDocument(templateConfigSchema, { name });
  const problem = reading.kind === 'ok' ? undefined : reading.problems[0];
  return problem === undefined ? undefined : `The name ${problem.problem}.`;
}
