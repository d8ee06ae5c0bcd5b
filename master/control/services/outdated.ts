import { isDeepStrictEqual } from 'node:util';
import type { TemplateConfig } from '#shared/config/template.ts';
import type { TemplateId } from '#shared/model/template.ts';
import { currentSetup, type ServiceSetup } from '#master/ingress/service-setup.ts';
import type { Documents } from '../context/documents.ts';
import type { IngressAccess } from '../context/ingress-access.ts';
import type { ServiceRecord } from './records.ts';
import { START_FIELDS, type StartedFrom, type StartValues } from './started-from.ts';

/** In words of people: these are no fields of a template. */
const GIVEN_NAMES = {
  proxyProtocol: 'PROXY protocol',
  forwarding: 'player forwarding',
  plugin: 'plugin',
  sharedFiles: 'shared files',
} as const satisfies Record<keyof ServiceSetup, string>;
const GIVEN_KEYS = Object.keys(GIVEN_NAMES) as (keyof ServiceSetup)[];

/** What a service of a template would be started from now. */
interface Newest {
  readonly config: TemplateConfig;
  /** Null while it is not known for certain: somebody is writing, or nothing can be read. */
  readonly revision: string | null;
  /** Null while it was never known: a master that has just started has not read all templates. */
  readonly given: ServiceSetup | null;
}

interface Verdict {
  readonly newest: Newest;
  readonly placed: StartedFrom;
  readonly outdated: string[];
}

/** Shared, like all verdicts: nobody changes them. */
const UP_TO_DATE: string[] = [];

/**
 * Tells what has changed for services since they were started. Compares only when something changed: for all others of
 * ten thousand services a round costs two looks at the same objects.
 */
export class Outdated {
  readonly #newest = new Map<TemplateId, Newest>();
  /** Forgotten with the record. */
  readonly #verdicts = new WeakMap<ServiceRecord, Verdict>();

  /** Looks at all templates again: once a round. */
  refresh(parts: Documents & Pick<IngressAccess, 'balancer' | 'supplies' | 'proxies'>): void {
    const { config, templates, proxies } = parts;
    for (const id of this.#newest.keys()) if (!config.templates.has(id)) this.#newest.delete(id);
    for (const [id, { state }] of config.templates) {
      const files = templates.state(id);
      const revision = files.changing ? null : files.revision;
      const before = this.#newest.get(id);
      const given = proxies.isRead ? currentSetup(id, state.config, parts) : (before?.given ?? null);
      const now = { config: state.config, revision, given };
      if (!isSame(before, now)) this.#newest.set(id, now);
    }
  }

  /** Names of template fields, `files`, and what a start now would give it beside them; empty for one that is up to date, has no process, or has no template any more. */
  of(record: ServiceRecord): string[] {
    const { placed } = record;
    const newest = this.#newest.get(record.template);
    if (placed === null || newest === undefined) return UP_TO_DATE;
    const before = this.#verdicts.get(record);
    if (before?.newest === newest && before.placed === placed) return before.outdated;
    const outdated = compare(placed, newest);
    this.#verdicts.set(record, { newest, placed, outdated });
    return outdated;
  }

  /** Counts the template's services that are up to date and would be outdated with this configuration. Leaves out those that are being stopped. */
  countBecoming(records: readonly ServiceRecord[], template: TemplateId, config: TemplateConfig): number {
    const newest = this.#newest.get(template);
    if (newest === undefined) return 0;
    // `given` stays that of the saved configuration: `compare` leaves out of it what follows from a changed field.
    const edited = { ...newest, config };
    return records.filter(
      (record) =>
        record.template === template &&
        record.placed !== null &&
        record.stopping === null &&
        this.of(record).length === 0 &&
        compare(record.placed, edited).length > 0,
    ).length;
  }
}

function isSame(a: Newest | undefined, b: Newest): boolean {
  return a?.config === b.config && a.revision === b.revision && differing(a.given, b.given).length === 0;
}

function differing(a: ServiceSetup | null, b: ServiceSetup | null): (keyof ServiceSetup)[] {
  if (a === null || b === null) return a === b ? [] : GIVEN_KEYS;
  return GIVEN_KEYS.filter((key) => a[key] !== b[key]);
}

/** Shared files are compared only where they are known on both sides, and the same ones are wanted. */
function comparable(
  before: ServiceSetup,
  { given, config }: Newest,
  values: StartValues,
): ServiceSetup | null {
  if (given === null) return null;
  const isUnknown = before.sharedFiles === null || given.sharedFiles === null;
  const areOthers = !isDeepStrictEqual(values.defaultServiceFiles, config.defaultServiceFiles);
  return isUnknown || areOthers ? { ...given, sharedFiles: before.sharedFiles } : given;
}

function compare({ values, revision, given }: StartedFrom, newest: Newest): string[] {
  const fields: string[] = START_FIELDS.filter(
    (field) => !isDeepStrictEqual(values[field], newest.config[field]),
  );
  if (newest.revision !== null && newest.revision !== revision) fields.push('files');
  // One that becomes a proxy, or none any more, is given something else for that.
  if (newest.given !== null && values.isProxy === newest.config.isProxy)
    fields.push(...differing(given, comparable(given, newest, values)).map((key) => GIVEN_NAMES[key]));
  return fields.length === 0 ? UP_TO_DATE : fields;
}
