import { OverworldError } from '#shared/errors/overworld-error.ts';
import { fromWire } from '#shared/errors/wire.ts';
import { findSection, withoutSection } from './config/marked-part.ts';
import {
  draftPath,
  NotWritable,
  readConfigFile,
  removeDraft,
  replaceByDraft,
  writeBeside,
  type HaproxyFile,
} from './haproxy/config-file.ts';
import { checkConfig } from './haproxy/program.ts';
import { reload } from './haproxy/reload.ts';
import { clashOf, readUnmanagedConfig } from './unmanaged-config.ts';
import { runPass, type Pass, type PassResult } from './pass.ts';
import { connectWorker } from './runtime-pass.ts';

/**
 * Writes Overworld's section into HAProxy's configuration. First checks that the file, the HAProxy executable and its
 * runtime socket can be used, and that no other section conflicts.
 *
 * @throws OverworldError BALANCER_CONFIG_MISSING, BALANCER_PROGRAM_MISSING, BALANCER_CONFIG_UNUSABLE,
 *   BALANCER_ENTRY_REFUSED, BALANCER_UNREACHABLE; nothing is changed then
 */
export async function adoptConfig(pass: Pass): Promise<PassResult> {
  const { configPath: path } = pass.settings;
  const { file } = await ground(pass);
  const found = findSection(file.text);
  if (found.kind === 'one') return runPass(pass);
  const outside = readUnmanagedConfig(file.text, found);
  const clash = clashOf(outside, pass.playersPort);
  if (clash !== null) throw new OverworldError('BALANCER_CONFIG_UNUSABLE', { path, why: clash });
  await connectWorker(outside, path);
  const result = await runPass({ ...pass, wanted: pass.wanted ?? [], mayInsert: true });
  const after = await ground(pass);
  if (findSection(after.file.text).kind === 'one') return result;
  const why = 'it was changed at the same time; try again';
  throw result.view.error === null
    ? new OverworldError('BALANCER_CONFIG_UNUSABLE', { path, why })
    : fromWire(result.view.error);
}

/**
 * Removes Overworld's section and reloads HAProxy. Afterwards, Overworld no longer writes to the file.
 *
 * @throws OverworldError BALANCER_CONFIG_MISSING, BALANCER_PROGRAM_MISSING, BALANCER_CONFIG_UNUSABLE (also while
 * another section sends players to Overworld's backend): nothing is changed; BALANCER_RELOAD_FAILED: the file is
 * changed, but HAProxy has not read it
 */
export async function removeSection(pass: Pass): Promise<PassResult> {
  const { configPath: path } = pass.settings;
  const { file, program } = await ground(pass);
  const found = findSection(file.text);
  if (found.kind === 'none') return runPass(pass);
  const unusable = (why: string): OverworldError =>
    new OverworldError('BALANCER_CONFIG_UNUSABLE', { path, why });
  const [user] = readUnmanagedConfig(file.text, found).entrances.filter(({ leadsToUs }) => leadsToUs);
  if (user !== undefined) {
    throw unusable(
      `${user.title} sends players to Overworld's section; change its destination first, or remove it`,
    );
  }
  try {
    await writeBeside(file, draftPath(file), withoutSection(file.text));
    const verdict = await checkConfig(program, draftPath(file));
    if (verdict.kind === 'refused')
      throw unusable(`without Overworld's section, HAProxy reports an error in it: ${verdict.why}`);
    if (!(await replaceByDraft(file))) throw unusable('another process is writing to it; try again');
  } catch (error) {
    throw error instanceof NotWritable ? unusable(error.message) : error;
  } finally {
    await removeDraft(file);
  }
  await readAgain(file, path);
  return runPass({ ...pass, mayInsert: false });
}

/**
 * Reloads HAProxy if it is running.
 *
 * @throws OverworldError BALANCER_RELOAD_FAILED
 */
async function readAgain({ text }: HaproxyFile, path: string): Promise<void> {
  const reached = await connectWorker(readUnmanagedConfig(text, findSection(text)), path).catch(() => null);
  if (reached === null) return;
  const result = await reload(reached.worker.pid);
  if (result.kind === 'failed') throw new OverworldError('BALANCER_RELOAD_FAILED', { path, why: result.why });
}

/**
 * Reads what every change of the configuration requires: the HAProxy executable, and the file. The file must be
 * readable, and its marks around Overworld's section must be valid.
 *
 * @throws OverworldError BALANCER_CONFIG_MISSING, BALANCER_PROGRAM_MISSING, BALANCER_CONFIG_UNUSABLE
 */
async function ground(pass: Pass): Promise<{ readonly file: HaproxyFile; readonly program: string }> {
  const { configPath: path } = pass.settings;
  const reading = await readConfigFile(pass.settings);
  if (reading.kind === 'missing') throw new OverworldError('BALANCER_CONFIG_MISSING', { path });
  const unusable = (why: string): OverworldError =>
    new OverworldError('BALANCER_CONFIG_UNUSABLE', { path, why });
  if (reading.kind === 'unusable') throw unusable(reading.why);
  const program = await pass.findProgram();
  if (program === null) throw new OverworldError('BALANCER_PROGRAM_MISSING', { path });
  const found = findSection(reading.file.text);
  if (found.kind === 'broken') throw unusable(found.why);
  return { file: reading.file, program };
}
