import { OverworldError, hasCode } from '#shared/errors/overworld-error.ts';
import { toWire } from '#shared/errors/wire.ts';
import type { ChangeResult } from './change.ts';
import { changeVersion } from './change-version.ts';
import { hasFinished } from './decide/has-finished.ts';
import { isInstalledDeciding, readState } from './master-unit.ts';
import { readManifest } from './packages/manifest.ts';
import { PROGRAM } from './places.ts';
import { check, untilInstallable, verify, type UpgradeCandidate, type UpgradeOrder } from './prepare.ts';
import {
  readRecord,
  RecordWriter,
  type UpgradeRecord,
  type UpgradeResult,
  type UpgradeStep,
} from './record.ts';
import { keepCurrent, keepInstalled, readKept, removeWork, type KeptFolder } from './store.ts';
import { findTarget, type UpgradeTarget } from './target.ts';
import { failureReason } from './failure-reason.ts';

/** Result of the steps before the change. */
interface Prepared {
  readonly candidate: UpgradeCandidate;
  readonly kept: KeptFolder;
  /** Version that the new program states. */
  readonly after: string;
}

/**
 * Upgrades the master on this machine. Runs in a transient unit, so that the upgrade continues when the session of
 * the person who started it ends. The record of the upgrade contains its progress.
 *
 * @param run id of this upgrade
 * @returns the result; if the upgrade was rejected or has failed, its `error` is not null
 * @throws OverworldError UPGRADE_IMPOSSIBLE
 */
export async function runUpgrade(run: string, order: UpgradeOrder): Promise<UpgradeResult> {
  const found = await findTarget();
  const unfinished = await findUnfinished(found);
  const target = unfinished === null ? found : asBefore(found, unfinished.kept);
  const before = target.installed.version;
  const begun = { run, before, startedAt: Date.now(), marks: [found.installed.mark] };
  const record = await RecordWriter.begin(begun, unfinished);
  const result = await upgrade({ order, target, unfinished, record });
  await removeWork(target.packaging);
  await record.finish(result);
  return result;
}

/** An upgrade that was interrupted while it replaced the installed version. */
interface UnfinishedUpgrade extends Pick<UpgradeRecord, 'version' | 'marks'> {
  /** The version that it was replacing. */
  readonly kept: KeptFolder;
}

/** Returns the upgrade that was interrupted while it replaced the installed version. Null if there is none. */
async function findUnfinished({
  packaging,
  installed,
  data,
}: UpgradeTarget): Promise<UnfinishedUpgrade | null> {
  const last = await readRecord();
  if (last?.phase !== 'changing') return null;
  const kept = await readKept(last.before, packaging.kind);
  if (kept === null) return null;
  const isDeciding = await isInstalledDeciding(data);
  if (hasFinished(last, kept, { ...installed, isDeciding })) return null;
  return { kept, version: last.version, marks: last.marks };
}

/**
 * Returns the target of an upgrade that follows an interrupted upgrade. The previous version counts as installed,
 * whichever files are in place.
 */
function asBefore(found: UpgradeTarget, { version, mark }: KeptFolder): UpgradeTarget {
  return { ...found, installed: { ...found.installed, version, mark } };
}

interface Upgrade {
  readonly order: UpgradeOrder;
  readonly target: UpgradeTarget;
  /** The earlier upgrade that this one continues. Null if there is none. */
  readonly unfinished: UnfinishedUpgrade | null;
  readonly record: RecordWriter;
}

async function upgrade(parts: Upgrade): Promise<UpgradeResult> {
  const { target, record } = parts;
  const before = target.installed.version;
  const nothing = { before, returned: false, unchanged: false, pauseMs: null, error: null, log: [] };
  let version: string | null = null;
  let prepared: Prepared | null;
  let programBefore: string;
  try {
    programBefore = parts.unfinished?.kept.version ?? (await readManifest(PROGRAM)).version;
    prepared = await prepare(parts, (found) => (version = found));
  } catch (error) {
    return { ...nothing, version, error: toWire(asFailed(error, before)) };
  }
  if (prepared === null) return { ...nothing, version, unchanged: true };
  const { candidate, kept, after } = prepared;
  const programs = { before: programBefore, after };
  const result: ChangeResult = await changeVersion({ target, kept, candidate, programs, record });
  await record.changed();
  if (result.error === null) {
    const { kind } = candidate.facts;
    // The new master is already running. A missing copy for the next upgrade is no reason to fail.
    await keepCurrent(candidate.file, { kind, mark: candidate.mark }).catch((error: unknown) =>
      console.log(`the package could not be kept: ${failureReason(error)}`),
    );
  }
  return { ...nothing, version, ...result };
}

/**
 * Performs all steps that leave the installed version unchanged.
 *
 * @param onVersion called with the version of the package
 * @returns null if exactly this package is already installed
 */
async function prepare(
  { order, target, unfinished, record }: Upgrade,
  onVersion: (version: string) => void,
): Promise<Prepared | null> {
  const { installed, packaging } = target;
  const step = async <T>(
    name: UpgradeStep['step'],
    act: () => Promise<[UpgradeStep['status'], string, T]>,
  ): Promise<T> => {
    try {
      const [status, detail, result] = await act();
      await record.step({ step: name, status, detail });
      return result;
    } catch (error) {
      const { message } = asFailed(error, installed.version);
      await record.step({ step: name, status: 'failed', detail: message });
      throw error;
    }
  };
  const candidate = await step('verify', async () => {
    const opened = await verify(order, target);
    const { version, arch } = opened.facts;
    onVersion(version);
    if (opened.mark === installed.mark && unfinished === null && (await readState()).active !== 'failed')
      return ['unchanged', `Exactly this package of version ${version} is installed.`, null];
    await untilInstallable(order, target);
    const detail = `Version ${version} for ${arch} may replace version ${installed.version}.`;
    return ['done', detail, opened];
  });
  if (candidate === null) return null;
  const after = await step('check', async () => {
    const passed = await check(order, candidate, target);
    const { version } = candidate.facts;
    const reads = `Version ${version} reads a copy of the configuration and state.`;
    if (passed.ignored.length === 0) return ['done', reads, passed.version];
    const ignores = `It ignores settings that it does not know: ${passed.ignored.join(', ')}.`;
    return ['done', `${reads} ${ignores}`, passed.version];
  });
  const kept = await step('keep', async () => {
    if (unfinished !== null) {
      const detail = `Continues an interrupted upgrade; version ${installed.version} is kept since then.`;
      return ['unchanged', detail, unfinished.kept];
    }
    const folder = await keepInstalled(installed, (file) => packaging.pack(file));
    return ['done', `Version ${installed.version} is kept in ${folder.folder}.`, folder];
  });
  return { candidate, kept, after };
}

function asFailed(error: unknown, before: string): OverworldError {
  if (hasCode(error, 'UPGRADE_REFUSED')) return error;
  return new OverworldError('UPGRADE_FAILED', { before, why: failureReason(error) }, error);
}
