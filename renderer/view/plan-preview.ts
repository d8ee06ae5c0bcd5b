import { becomingOutdatedWords, type PreviewedAction, type PlanPreview } from '#shared/model/plan-preview.ts';
import { toCauseWords } from './cause.ts';
import { durationInWords } from './format/duration.ts';
import { toCountOf } from './format/numbers.ts';

/** Effects of an edit: the differences between the actions of the rules with and without the edit. */
export interface Consequence {
  /** Actions that happen only because of the edit. */
  readonly done: readonly PreviewedAction[];
  /** Actions that do not happen any more because of the edit. */
  readonly undone: readonly PreviewedAction[];
  readonly waiting: PlanPreview['waiting'];
  readonly unmet: PlanPreview['unmet'];
  readonly noOrder: PlanPreview['noOrder'];
  /** Services that keep running with the old settings. */
  readonly outdated: PlanPreview['outdated'];
  /**
   * Whether these are all effects. False for a large network, for which the master computes only the first actions.
   */
  readonly complete: boolean;
}

type Kind = PreviewedAction['kind'];
/** Kind of a line: the kind of its action, `undone` for an action that no longer happens, or another effect. */
export type LineKind = Kind | 'undone' | 'wait' | 'lack' | 'outdated';

/** One line of text about one or more effects. */
export interface PreviewLine {
  readonly kind: LineKind;
  /** Example: `Starts lobby-4, lobby-5`. */
  readonly text: string;
  /** Cause of the effect in words, or the reason for which services wait. */
  readonly because: string;
}

/**
 * Maximum difference between times that count as equal (ms). The two forecasts are made at slightly different times.
 */
const SAME_TIME_MS = 5000;
/** Maximum number of names in one line. */
const MOST_NAMES = 4;

/** Returns the differences between the forecast with an edit and the forecast without it (`asIs`). */
export function comparePreviews(edited: PlanPreview, asIs: PlanPreview): Consequence {
  return {
    done: edited.actions.filter(
      (action) => !asIs.actions.some((other) => isSame(action, other) && isSameTime(action, other)),
    ),
    // If an action is missing in an incomplete forecast, it may be in the part that was not computed.
    undone: edited.complete
      ? asIs.actions.filter((action) => !edited.actions.some((other) => isSame(action, other)))
      : [],
    waiting: edited.waiting.filter(
      ({ service, wait }) =>
        !asIs.waiting.some((other) => other.service === service && other.wait.reason === wait.reason),
    ),
    unmet: edited.unmet.filter(
      ({ template, unmet }) =>
        !asIs.unmet.some(
          (other) =>
            other.template === template &&
            other.unmet.wait.reason === unmet.wait.reason &&
            other.unmet.missing === unmet.missing,
        ),
    ),
    noOrder: edited.noOrder?.reason === asIs.noOrder?.reason ? null : edited.noOrder,
    outdated: edited.outdated,
    complete: edited.complete,
  };
}

function isSame(a: PreviewedAction, b: PreviewedAction): boolean {
  return a.kind === b.kind && a.service === b.service && (a.service !== null || a.node === b.node);
}

function isSameTime(a: PreviewedAction, b: PreviewedAction): boolean {
  return Math.abs(a.afterMs - b.afterMs) < SAME_TIME_MS;
}

/**
 * Converts effects to lines, the earliest action first. Actions of the same kind with the same cause share a line.
 */
export function toPreviewLines({
  done,
  undone,
  waiting,
  unmet,
  noOrder,
  outdated,
}: Consequence): readonly PreviewLine[] {
  const waits = new Set(waiting.map(({ service }) => service));
  return [
    ...groupActs(withoutSteps(done, waits)).map(({ kind, names, afterMs, because }): PreviewLine => {
      return { kind, text: `${verbs[kind]} ${toNames(names)}${toAfter(afterMs)}`, because };
    }),
    ...groupWaits(waiting),
    ...unmet.map(({ template, unmet: { missing, wait } }): PreviewLine => {
      return {
        kind: 'lack',
        text:
          missing === 0
            ? `Services of ${template} would not be replaced`
            : `${template} would be missing ${toCountOf(missing, 'service')}`,
        because: wait.message,
      };
    }),
    ...(noOrder === null
      ? []
      : [{ kind: 'lack' as const, text: 'No node would be ordered', because: noOrder.message }]),
    ...outdated.map((one): PreviewLine => {
      const { fact, meaning } = becomingOutdatedWords(one);
      return { kind: 'outdated', text: fact, because: meaning };
    }),
    ...groupActs(withoutSteps(undone, new Set())).map(({ kind, names, because }): PreviewLine => {
      return { kind: 'undone', text: `No longer ${verbs[kind].toLowerCase()} ${toNames(names)}`, because };
    }),
  ];
}

/** Summarizes all effects in one short line: `starts 2 services, stops 1 service`. */
export function summarizeConsequence(consequence: Consequence): string {
  const { done, undone, waiting, unmet, outdated } = consequence;
  const acts = withoutSteps(done, new Set(waiting.map(({ service }) => service)));
  const kinds = [...new Set(acts.map(({ kind }) => kind))];
  const parts = kinds.map((kind) => {
    const count = acts.filter((act) => act.kind === kind).length;
    return `${verbs[kind].toLowerCase()} ${toCountOf(count, noun[kind])}`;
  });
  if (waiting.length > 0) {
    parts.push(`${toCountOf(waiting.length, 'service')} would wait`);
  }
  const missing = unmet.reduce((sum, one) => sum + one.unmet.missing, 0);
  if (missing > 0) parts.push(`${toCountOf(missing, 'service')} would be missing`);
  parts.push(...outdated.map((one) => becomingOutdatedWords(one).fact));
  if (parts.length === 0 && undone.length > 0) parts.push('cancels planned changes');
  return parts.join(', ');
}

const verbs: Record<Kind, string> = {
  request: 'Requests',
  start: 'Starts',
  stop: 'Stops',
  order: 'Orders',
  drain: 'Drains',
  resume: 'Resumes',
  release: 'Releases',
  other: 'Changes',
};

const noun: Record<Kind, 'service' | 'node'> = {
  request: 'service',
  start: 'service',
  stop: 'service',
  order: 'node',
  drain: 'node',
  resume: 'node',
  release: 'node',
  other: 'service',
};

/**
 * Removes requests of services that also start or wait in the forecast, because the start or the wait already shows
 * the effect. A start gets the cause of its removed request.
 */
function withoutSteps(
  actions: readonly PreviewedAction[],
  waits: ReadonlySet<string>,
): readonly PreviewedAction[] {
  const requests = new Map(
    actions.flatMap((action) =>
      action.kind === 'request' && action.service !== null ? [[action.service, action.cause] as const] : [],
    ),
  );
  const started = new Set(actions.flatMap(({ kind, service }) => (kind === 'start' ? [service] : [])));
  return actions.flatMap((action) => {
    const { kind, service } = action;
    if (kind === 'request' && service !== null && (started.has(service) || waits.has(service))) return [];
    const asked = kind === 'start' && service !== null ? requests.get(service) : undefined;
    return [asked === undefined ? action : { ...action, cause: asked }];
  });
}

interface Acts {
  readonly kind: Kind;
  readonly names: string[];
  readonly afterMs: number;
  readonly because: string;
}

function groupActs(actions: readonly PreviewedAction[]): readonly Acts[] {
  const groups = new Map<string, Acts>();
  for (const { kind, service, node, afterMs, cause } of actions) {
    const name = service ?? node ?? '';
    // The cause of a stop contains a number of seconds that differs for each service. Stops are therefore grouped
    // without their causes.
    const group = `${kind} ${toTemplate(service)} ${toAfter(afterMs)} ${kind === 'stop' ? '' : cause}`;
    const found = groups.get(group);
    if (found === undefined) {
      groups.set(group, { kind, names: [name], afterMs, because: toCauseWords(cause).text });
    } else found.names.push(name);
  }
  return [...groups.values()];
}

function groupWaits(waiting: PlanPreview['waiting']): readonly PreviewLine[] {
  const groups = new Map<string, { names: string[]; because: string }>();
  for (const { service, wait } of waiting) {
    const group = `${toTemplate(service)} ${wait.reason}`;
    const found = groups.get(group);
    if (found === undefined) groups.set(group, { names: [service], because: wait.message });
    else found.names.push(service);
  }
  return [...groups.values()].map(({ names, because }) => ({
    kind: 'wait',
    text: `${toNames(names)} would wait`,
    because,
  }));
}

function toTemplate(service: string | null): string {
  return service === null ? '' : service.slice(0, service.lastIndexOf('-'));
}

function toNames(names: readonly string[]): string {
  const shown = names.slice(0, MOST_NAMES).join(', ');
  return names.length > MOST_NAMES ? `${shown} and ${names.length - MOST_NAMES} more` : shown;
}

/**
 * Returns a time for the end of a sentence, such as ` after 2 minutes`. Empty below one second. From two minutes on,
 * omits the seconds, because they would change all the time.
 */
function toAfter(ms: number): string {
  if (ms < 1000) return '';
  const unit = ms < 120_000 ? 1000 : 60_000;
  return ` after ${durationInWords(Math.round(ms / unit) * unit)}`;
}
