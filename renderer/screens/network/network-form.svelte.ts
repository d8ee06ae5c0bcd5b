import type { PublishedVersion } from '#shared/model/software.ts';
import {
  HEAP_MB,
  MAX_PLAYERS,
  planNetwork,
  practiceSoftware,
  suggestedMemoryMb,
  type NetworkRequest,
  type PartKind,
  type PlannedTemplate,
} from '#shared/network/network-plan.ts';
import { idProblem, nameProblem, presetOf, suggestId } from '#shared/network/presets.ts';
import { call } from '../../bridge/bridge.ts';
import { templates } from '../../stores/templates.svelte.ts';
import { newestOf, PublishedList } from '../software/published.svelte.ts';

/** Maximum number of game modes, so that the form stays readable. Further ones can be added as templates. */
export const MAX_GAMES = 8;

/** A row of the form: one template. */
export interface FormPart {
  readonly key: number;
  readonly kind: PartKind;
  name: string;
  /** Maximum heap as typed (MB). Null until the user types a size; the suggested size is used until then. */
  memory: string | null;
}

/** The form for a new network, and the templates that it would create. */
export class NetworkForm {
  players = $state('100');
  parts = $state<FormPart[]>([]);
  /** Source of the software: included in Overworld, or downloaded from PaperMC. */
  source = $state<'practice' | 'paper'>('practice');
  /**
   * The version of Paper as chosen. Null until the user chooses a version; the newest stable one is used until then.
   */
  chosenVersion = $state<string | null>(null);
  eula = $state(false);
  readonly versions = new PublishedList<PublishedVersion>();
  /** The version of Paper. Null while it is unknown. */
  readonly version: string | null = $derived(
    this.chosenVersion ?? newestOf(this.versions.list ?? [])?.version ?? null,
  );
  readonly isReal = $derived(this.source === 'paper');
  /** The software of proxies and game servers. A version or build of null stands for the newest one. */
  readonly software: NetworkRequest['software'] = $derived(
    this.isReal
      ? {
          proxy: { software: 'velocity', version: null, build: null },
          game: { software: 'paper', version: this.version, build: null },
        }
      : practiceSoftware,
  );
  /** Ids of the existing templates. */
  readonly #taken = $derived(templates.list.map(({ id }) => id));
  #keys = 0;

  readonly playersProblem: string | undefined = $derived(
    wholeNumber(this.players, 1, MAX_PLAYERS) === null
      ? `Enter a whole number from 1 to ${MAX_PLAYERS.toLocaleString('en')}.`
      : undefined,
  );

  /** The templates that the form describes. */
  readonly planned: readonly PlannedTemplate[] = $derived(this.planWith(this.software));

  /** Why the software prevents the creation of the network. Undefined if it does not. */
  readonly softwareProblem: string | undefined = $derived(
    this.isReal && this.version === null ? 'The versions of Paper are not known yet.' : undefined,
  );
  readonly eulaProblem: string | undefined = $derived(
    this.isReal && !this.eula ? 'Accept the EULA to use Paper, or choose the practice servers.' : undefined,
  );

  readonly isValid = $derived(
    this.playersProblem === undefined &&
      this.softwareProblem === undefined &&
      this.eulaProblem === undefined &&
      this.parts.every(
        (part) => this.nameProblemOf(part) === undefined && this.memoryProblemOf(part) === undefined,
      ),
  );

  constructor() {
    this.parts = (['proxy', 'lobby', 'game'] as const).map((kind) => this.#part(kind));
  }

  /** Requests the versions of Paper, if they are needed. */
  readonly loadVersions = (): void =>
    this.versions.show(this.isReal ? 'paper' : null, () => call('software.versions', { software: 'paper' }));

  /** Returns the templates that the form describes, with the given versions and builds of their software. */
  planWith(software: NetworkRequest['software']): readonly PlannedTemplate[] {
    return planNetwork(
      {
        players: wholeNumber(this.players, 1, MAX_PLAYERS) ?? 1,
        software,
        parts: this.parts.map((part) => ({
          kind: part.kind,
          name: part.name,
          memoryMb: wholeNumber(this.memoryOf(part), HEAP_MB.min, HEAP_MB.max) ?? HEAP_MB.min,
        })),
      },
      this.#taken,
    );
  }

  /** Returns the maximum heap of a row as text (MB): the typed one, or else the suggested one. */
  readonly memoryOf = ({ kind, memory }: FormPart): string =>
    memory ?? String(suggestedMemoryMb[this.isReal ? 'real' : 'practice'][kind]);

  readonly nameProblemOf = (part: FormPart): string | undefined => {
    const problem = nameProblem(part.name);
    if (problem !== undefined) return problem;
    return suggestId(part.name, []) === ''
      ? 'Use at least one letter from a to z or a digit.'
      : idProblem(this.idOf(part), this.#taken);
  };

  readonly memoryProblemOf = (part: FormPart): string | undefined =>
    wholeNumber(this.memoryOf(part), HEAP_MB.min, HEAP_MB.max) === null
      ? `Enter ${HEAP_MB.min} to ${HEAP_MB.max} MB.`
      : undefined;

  /** Returns the id that the template of a row gets. */
  readonly idOf = (part: FormPart): string => this.planned[this.parts.indexOf(part)]?.id ?? '';

  readonly addGame = (): FormPart => {
    const part = this.#part('game');
    this.parts.push(part);
    return part;
  };

  /** Changes the typed values of a row. */
  readonly change = (part: FormPart, typed: Partial<Pick<FormPart, 'name' | 'memory'>>): void => {
    Object.assign(part, typed);
  };

  readonly remove = (key: number): void => {
    this.parts = this.parts.filter((part) => part.key !== key);
  };

  #part(kind: PartKind): FormPart {
    this.#keys += 1;
    const { suggestedName } = presetOf[kind];
    const same = this.parts.filter((part) => part.kind === kind).length;
    const name = same === 0 ? suggestedName : `${suggestedName} ${same + 1}`;
    return { key: this.#keys, kind, name, memory: null };
  }
}

/** Parses a whole number within limits. Returns null for anything else. */
function wholeNumber(text: string, min: number, max: number): number | null {
  const number = Number(text.trim());
  return /^\d{1,9}$/.test(text.trim()) && number >= min && number <= max ? number : null;
}
