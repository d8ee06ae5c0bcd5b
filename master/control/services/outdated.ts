import { isDeepStrictEqual } from 'node:util';
import type { TemplateConfig } from '#shared/config/template.ts';
import type { TemplateId } from '#shared/model/template.ts';
import { currentSetup } from '#master/ingress/service-setup.ts';
import type { Documents } from '#master/state/context/documents.ts';
import type { IngressAccess } from '#master/ingress/ingress-access.ts';
import type { ServiceRecord } from '#master/state/services/records.ts';
import {
  START_FIELDS,
  type ServiceSetup,
  type StartedFrom,
  type KnownValues,
} from '#master/state/services/started-from.ts';

/** Display names for the parts of a service's setup, which are not fields of the template. */
const GIVEN_NAMES = {
  proxyProtocol: 'PROXY protocol',
  forwarding: 'player forwarding',
  plugin: 'plugin',
  sharedFiles: 'shared files',
} as const satisfies Record<keyof ServiceSetup, string>;
const GIVEN_KEYS = Object.keys(GIVEN_NAMES) as (keyof ServiceSetup)[];

/** The files and values from which a service of a template would be started now. */
interface Newest {
  readonly config: TemplateConfig;
  /**
   * Newest revision of the template. Null while the revision is uncertain, because files are being written to the
   * template's folder or the folder cannot be read.
   */
  readonly revision: string | null;
  /**
   * Setup that a service would get now. Null while it is unknown, because a master that has just started has not read
   * all templates yet.
   */
  readonly given: ServiceSetup | null;
}

interface Verdict {
  readonly newest: Newest;
  readonly placed: StartedFrom;
  readonly outdated: string[];
}

/** The result for a service that is up to date. All such services share this array, so callers must not modify it. */
const UP_TO_DATE: string[] = [];

/**
 * Finds what has changed for services since they were started. It compares in detail only after a change. Otherwise
 * it needs only two identity checks per service and round.
 */
export class Outdated {
  readonly #newest = new Map<TemplateId, Newest>();
  /** Results by service; dropped together with the service's record. */
  readonly #verdicts = new WeakMap<ServiceRecord, Verdict>();

  /** Reads all templates again. Call it once per round. */
  refresh(context: Documents & Pick<IngressAccess, 'balancer' | 'supplies' | 'proxies'>): void {
    const { config, templates, proxies } = context;
    for (const id of this.#newest.keys()) if (!config.templates.has(id)) this.#newest.delete(id);
    for (const [id, { state }] of config.templates) {
      const files = templates.state(id);
      const revision = files.changing ? null : files.revision;
      const before = this.#newest.get(id);
      const given = proxies.isRead ? currentSetup(id, state.config, context) : (before?.given ?? null);
      const now = { config: state.config, revision, given };
      if (!isSame(before, now)) this.#newest.set(id, now);
    }
  }

  /**
   * Returns what has changed since a service was started: names of template fields, `files`, and parts of its
   * setup. Empty if nothing changed, if it has no process, or if its template no longer exists.
   */
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

  /**
   * Returns how many of the template's services are up to date now, but would be outdated with the given
   * configuration. Services that are being stopped do not count.
   */
  countBecoming(records: readonly ServiceRecord[], template: TemplateId, config: TemplateConfig): number {
    const newest = this.#newest.get(template);
    if (newest === undefined) return 0;
    // `given` still belongs to the saved configuration. This is enough, because `compare` ignores the parts of the
    // setup that depend on a changed field.
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

/**
 * Returns the current setup in the form in which it is compared with `before`, the setup at the service's start. Null
 * while the current setup is unknown. Shared files are not compared in two cases: if they are unknown in either setup,
 * and if the configured list of shared files has changed, because then this list is reported as the change.
 */
function comparable(
  before: ServiceSetup,
  { given, config }: Newest,
  values: KnownValues,
): ServiceSetup | null {
  if (given === null) return null;
  const isUnknown = before.sharedFiles === null || given.sharedFiles === null;
  const areOthers = !isDeepStrictEqual(values.defaultServiceFiles, config.defaultServiceFiles);
  return isUnknown || areOthers ? { ...given, sharedFiles: before.sharedFiles } : given;
}

/**
 * Reports whether a service has to start again to get the current value of a field. Returns false if it is unknown
 * with which value the service was started.
 */
function isOlder(field: keyof KnownValues, values: KnownValues, config: TemplateConfig): boolean {
  // Running services also keep the files at added paths (AddedPaths).
  if (field === 'persistentPaths')
    return values.persistentPaths.some((path) => !config.persistentPaths.includes(path));
  return values[field] !== undefined && !isDeepStrictEqual(values[field], config[field]);
}

function compare({ values, revision, given }: StartedFrom, newest: Newest): string[] {
  const fields: string[] = START_FIELDS.filter((field) => isOlder(field, values, newest.config));
  if (newest.revision !== null && newest.revision !== revision) fields.push('files');
  // A service that becomes a proxy, or stops being a proxy, always gets a different setup. In this case, the setup is
  // not reported as an additional change.
  if (newest.given !== null && values.isProxy === newest.config.isProxy)
    fields.push(...differing(given, comparable(given, newest, values)).map((key) => GIVEN_NAMES[key]));
  return fields.length === 0 ? UP_TO_DATE : fields;
}
