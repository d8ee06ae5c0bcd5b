import { OverworldError } from '#shared/errors/overworld-error.ts';
import type { WantedEntry } from './balancer.ts';
import {
  readSection,
  renderSection,
  type RenderedSection,
  type SectionPlan,
} from './config/frontend-and-backend.ts';
import { findSection, withSection } from './config/marked-part.ts';
import {
  backupPath,
  draftPath,
  lastGoodPath,
  NotWritable,
  readConfigFile,
  removeDraft,
  replaceBeside,
  replaceByDraft,
  writeBeside,
  type HaproxyFile,
  type ConfigPlace,
} from './haproxy/config-file.ts';
import type { CheckMemory } from './haproxy/check-memory.ts';
import { checkConfig, type ConfigVerdict } from './haproxy/program.ts';

/** Maximum number of attempts while another program keeps changing the file. */
const MOST_TRIES = 5;

export interface FilePlan extends SectionPlan {
  readonly place: ConfigPlace;
  readonly program: string;
  /** Whether a section may be added. If false, the file is written only if it already contains a section. */
  readonly mayInsert: boolean;
}

export interface FileOutcome {
  /** Whether the file contains {@link rendered} after the attempt. */
  readonly isSettled: boolean;
  readonly rendered: RenderedSection;
  /** The `balancer.entry_addition` that the file contains. If the file contains none, the desired one. */
  readonly addition: string;
  readonly errors: readonly OverworldError[];
}

/** A sample proxy. HAProxy checks an addition with it, because there may be no real proxy yet. */
const PROBE: WantedEntry = {
  id: 'overworld-check-1',
  host: '127.0.0.1',
  port: 1,
  proxyProtocol: true,
  open: false,
  maxPlayers: 1,
  fillLevel: 1,
};

/**
 * Writes the desired section to the file. HAProxy first checks a copy. The copy replaces the file, unless another
 * program or person has changed the file in the meantime. If HAProxy rejects the new addition, the section keeps the
 * addition that is already in the file. If HAProxy also rejects the section with the old addition, nothing is
 * written. Gives up after five attempts if the file changes during each of them. Errors are part of the result.
 */
export async function applyFile(plan: FilePlan, memory: CheckMemory): Promise<FileOutcome> {
  for (let tries = 0; tries < MOST_TRIES; tries += 1) {
    const outcome = await attempt(plan, memory);
    if (outcome !== null) return outcome;
  }
  return failed(plan, plan.addition, [unusable(plan, 'another process is writing to it')]);
}

/**
 * Makes one attempt to write the file.
 *
 * @returns null if the file was changed by another program or person in the meantime
 */
async function attempt(plan: FilePlan, memory: CheckMemory): Promise<FileOutcome | null> {
  const reading = await readConfigFile(plan.place);
  if (reading.kind === 'missing')
    return failed(plan, plan.addition, [
      new OverworldError('BALANCER_CONFIG_MISSING', { path: plan.place.configPath }),
    ]);
  if (reading.kind === 'unusable') return failed(plan, plan.addition, [unusable(plan, reading.why)]);
  const { file } = reading;
  const found = findSection(file.text);
  if (found.kind === 'broken') return failed(plan, plan.addition, [unusable(plan, found.why)]);
  if (found.kind === 'none' && !plan.mayInsert) return failed(plan, plan.addition, []);
  const inForce = found.kind === 'one' ? readSection(found.section.body).addition : null;
  try {
    return await tryAdditions({ plan, file, inForce }, memory);
  } catch (error) {
    if (!(error instanceof NotWritable)) throw error;
    return failed(plan, inForce ?? plan.addition, [unusable(plan, error.message)]);
  } finally {
    await removeDraft(file);
  }
}

interface Attempt {
  readonly plan: FilePlan;
  readonly file: HaproxyFile;
  /** Addition of the section that is currently in the file; null if there is no section. */
  readonly inForce: string | null;
}

async function tryAdditions(what: Attempt, memory: CheckMemory): Promise<FileOutcome | null> {
  const { plan, inForce } = what;
  const verdict = await check(what, plan.addition, memory);
  if (verdict.kind === 'valid') return settle(what, plan.addition, []);
  const refused = { addition: shown(plan.addition), why: verdict.why };
  if (inForce !== null && inForce !== plan.addition) {
    const before = await check(what, inForce, memory);
    if (before.kind === 'valid') {
      const details = { ...refused, inForce: shown(inForce) };
      return settle(what, inForce, [new OverworldError('BALANCER_ENTRY_REFUSED', details)]);
    }
  }
  const addition = inForce ?? plan.addition;
  if (inForce === null && isInSection(what, verdict.line)) {
    return failed(plan, addition, [
      new OverworldError('BALANCER_ENTRY_REFUSED', { ...refused, inForce: null }),
    ]);
  }
  // Checks the current file, so that the line numbers in error messages are those that the admin sees.
  const present = await checkFile(what, memory);
  const why = present.kind === 'refused' ? present.why : verdict.why;
  return failed(plan, addition, [unusable(plan, `HAProxy reports an error in it: ${why}`)]);
}

/** Lets HAProxy check the file with the given addition in Overworld's section. */
async function check(what: Attempt, addition: string, memory: CheckMemory): Promise<ConfigVerdict> {
  const { plan, file, inForce } = what;
  const candidate = candidateOf(what, addition);
  if (candidate === file.text) return checkFile(what, memory);
  const known = memory.recall(candidate);
  if (known?.kind === 'refused') return known;
  let verdict: ConfigVerdict = { kind: 'valid' };
  if (addition !== inForce && !plan.wanted.some(({ proxyProtocol }) => proxyProtocol)) {
    const probed = renderSection({ ...plan, addition, wanted: [...plan.wanted, PROBE] });
    verdict = await checkDraft(what, withSection(file.text, probed.lines));
  }
  // The draft without the sample proxy is checked last, because each check writes its draft to the disk: the last
  // draft is exactly the text to use.
  if (verdict.kind === 'valid') verdict = await checkDraft(what, candidate);
  memory.remember(candidate, verdict);
  return verdict;
}

async function checkDraft({ plan, file }: Attempt, text: string): Promise<ConfigVerdict> {
  await writeBeside(file, draftPath(file), text);
  return checkConfig(plan.program, draftPath(file));
}

/** Lets HAProxy check the file in its current state, because an admin may have edited its other parts. */
async function checkFile({ plan, file }: Attempt, memory: CheckMemory): Promise<ConfigVerdict> {
  const known = memory.recall(file.text);
  if (known !== null) return known;
  const verdict = await checkConfig(plan.program, file.real);
  memory.remember(file.text, verdict);
  return verdict;
}

function isInSection(what: Attempt, line: number | null): boolean {
  const found = findSection(candidateOf(what, what.plan.addition));
  return line !== null && found.kind === 'one' && line >= found.section.from && line <= found.section.to;
}

/**
 * Writes the checked text to the file.
 *
 * @returns null if the file was changed by another program or person in the meantime
 */
async function settle(
  what: Attempt,
  addition: string,
  errors: readonly OverworldError[],
): Promise<FileOutcome | null> {
  const { plan, file } = what;
  const rendered = renderSection({ ...plan, addition });
  const candidate = withSection(file.text, rendered.lines);
  if (candidate !== file.text) {
    const isFirst = findSection(file.text).kind === 'none';
    if (isFirst) await replaceBeside(file, backupPath(file), file.text);
    if (!(await replaceByDraft(file))) return null;
    await replaceBeside(file, lastGoodPath(file), candidate);
  }
  return { isSettled: true, rendered, addition, errors };
}

function candidateOf({ plan, file }: Attempt, addition: string): string {
  return withSection(file.text, renderSection({ ...plan, addition }).lines);
}

function failed(plan: FilePlan, addition: string, errors: readonly OverworldError[]): FileOutcome {
  return { isSettled: false, rendered: renderSection({ ...plan, addition }), addition, errors };
}

function unusable({ place }: FilePlan, why: string): OverworldError {
  return new OverworldError('BALANCER_CONFIG_UNUSABLE', { path: place.configPath, why });
}

/** Converts latin1 text of the file to UTF-8 for people. */
function shown(text: string): string {
  return Buffer.from(text, 'latin1').toString('utf8');
}
