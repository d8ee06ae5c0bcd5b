import { isDeepStrictEqual } from 'node:util';
import type { TemplateConfig } from '#shared/config/template.ts';
import type { TemplateId } from '#shared/model/template.ts';
import { currentSetup, type ServiceSetup } from '#master/ingress/service-setup.ts';
import type { Documents } from '../context/documents.ts';
import type { IngressAccess } from '../context/ingress-access.ts';
import type { ServiceRecord } from './records.ts';
import { START_FIELDS, type StartedFrom, type StartValues } from './started-from.ts';

/** Names for people, as these are not fields of a template. */
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
  /** Null while the revision is uncertain, because the folder is being written to or cannot be read. */
  readonly revision: string | null;
  /** Null while it is unknown: a master that has just started has not read all templates. */
  readonly given: ServiceSetup | null;
}

interface Verdict {
  readonly newest: Newest;
  readonly placed: StartedFrom;
  readonly outdated: string[];
}

/** Shared by all results; callers must not change it. */
const UP_TO_DATE: string[] = [];

/**
 * Finds what has changed for services since they were started. It compares only after a change: otherwise a service
 * costs two identity checks per round.
 */
export class Outdated {
  readonly #newest = new Map<TemplateId, Newest>();
  /** Results per service; dropped together with the record. */
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
   * Counts the template's services that are up to date now and would be outdated with this configuration. Services
   * that are being stopped do not count.
   */
  countBecoming(records: readonly ServiceRecord[], template: TemplateId, config: TemplateConfig): number {
    const newest = this.#newest.get(template);
    if (newest === undefined) return 0;
    // `given` stays that of the saved configuration: `compare` ignores what follows from a changed field.
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

/** Ignores shared files unless both sides know them and the configured list is the same. */
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
  // A service that becomes a proxy, or stops being one, is set up differently for that reason alone.
  if (newest.given !== null && values.isProxy === newest.config.isProxy)
    fields.push(...differing(given, comparable(given, newest, values)).map((key) => GIVEN_NAMES[key]));
  return fields.length === 0 ? UP_TO_DATE : fields;
}
