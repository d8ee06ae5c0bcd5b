import type { MasterConfig } from '#shared/config/master.ts';
import { hasCode } from '#shared/errors/overworld-error.ts';
import { linesOf, wordsOf } from '#master/balancer/config/lines.ts';
import { PLAYERS_PORT, readSection, renderSection } from '#master/balancer/config/frontend-and-backend.ts';
import { findSection, type Section } from '#master/balancer/config/marked-part.ts';
import { readConfigFile, type HaproxyFile } from '#master/balancer/haproxy/config-file.ts';
import { checkConfig, findProgram, readVersion } from '#master/balancer/haproxy/program.ts';
import { findReloadMethod } from '#master/balancer/haproxy/reload.ts';
import {
  clashOf,
  isBackendReferenced,
  readUnmanagedConfig,
  type UnmanagedConfig,
} from '#master/balancer/unmanaged-config.ts';
import { isPortFree } from '#master/balancer/port-free.ts';
import { readRuntime, connectWorker, type WorkerConnection } from '#master/balancer/runtime-pass.ts';
import type { RuntimeState } from '#master/balancer/runtime/runtime-state.ts';
import { bad, ok, warning, type Finding } from './finding.ts';

const GUIDE = 'see docs/balancer.md';

/**
 * Checks HAProxy, its file `balancer.config_path` (docs/specification.md#balancer), Overworld's section in this file,
 * and everything that is needed to change HAProxy while players are online. Changes nothing.
 */
export async function checkBalancer({ balancer }: MasterConfig, dataFolder: string): Promise<Finding[]> {
  const path = balancer.config_path;
  const program = await findProgram();
  if (program === null) {
    const advice =
      'Install it (apt-get install haproxy) to have one address for all proxies. Without it, players join a proxy directly.';
    return [warning('HAProxy', 'HAProxy is not installed on this machine.', advice)];
  }
  const first = await checkVersion(program);
  const reading = await readConfigFile({ configPath: path, dataFolder });
  if (reading.kind !== 'read') {
    const found = reading.kind === 'missing' ? `There is no file ${path}.` : `${path}: ${reading.why}.`;
    return [
      first,
      bad('HAProxy file', found, 'Correct balancer.config_path or the permissions of that file.'),
    ];
  }
  const { file } = reading;
  const outside = readUnmanagedConfig(file.text, findSection(file.text));
  const findings = [first, await checkFile(program, file), checkSection(path, file, outside)];
  return [...findings, ...(await checkRunning(path, file, outside))];
}

async function checkVersion(program: string): Promise<Finding> {
  const check = 'HAProxy';
  const version = await readVersion(program);
  if (version === null)
    return warning(check, `${program} does not report its version.`, `Version 2.4 or newer is required.`);
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const found = `${program} is version ${version}.`;
  if (major < 2 || (major === 2 && minor < 4)) return bad(check, found, 'Install version 2.4 or newer.');
  if (major === 2 && minor < 5) {
    return warning(
      check,
      found,
      'From version 2.5 on, proxies are added without a reload. Debian 12 has 2.6.',
    );
  }
  return ok(check, found);
}

async function checkFile(program: string, file: HaproxyFile): Promise<Finding> {
  const check = 'HAProxy file';
  const verdict = await checkConfig(program, file.real);
  if (verdict.kind === 'valid') return ok(check, `${file.real} is valid.`);
  const advice = 'Correct that file or balancer.config_path. Until then, the master does not change it.';
  return bad(check, `HAProxy rejects ${file.real}: ${verdict.why}.`, advice);
}

function checkSection(path: string, file: HaproxyFile, outside: UnmanagedConfig): Finding {
  const check = 'HAProxy section';
  const found = findSection(file.text);
  if (found.kind === 'broken') {
    return bad(check, `${path}: ${found.why}.`, 'Remove the surplus marks, or the whole section.');
  }
  const clash = clashOf(outside, PLAYERS_PORT);
  if (clash !== null) return bad(check, `In ${path} ${clash}.`, `Correct that file; ${GUIDE}.`);
  if (found.kind === 'none') {
    const advice = 'To let players join through it, run: overworld-master balancer adopt';
    return warning(check, `${path} has no Overworld section, so it is not managed.`, advice);
  }
  return ok(check, `${path} has Overworld's section (lines ${found.section.from} to ${found.section.to}).`);
}

/** Checks the running HAProxy: whether it can be changed while it runs, and whether its state matches its file. */
async function checkRunning(path: string, file: HaproxyFile, outside: UnmanagedConfig): Promise<Finding[]> {
  const check = 'HAProxy socket';
  let reached: WorkerConnection;
  try {
    reached = await connectWorker(outside, path);
  } catch (error) {
    if (!hasCode(error, 'BALANCER_UNREACHABLE')) throw error;
    const found = `HAProxy cannot be reached through ${error.details.path}: ${error.details.why}.`;
    const advice = `Start HAProxy, and give the master's user access to that socket; ${GUIDE}.`;
    // If the file has no section of Overworld, HAProxy is not managed, and an unreachable HAProxy is only a warning.
    return [
      findSection(file.text).kind === 'none' ? warning(check, found, advice) : bad(check, found, advice),
    ];
  }
  const findings = [
    ok(check, 'HAProxy answers and can be changed while it runs.'),
    await checkReload(reached),
  ];
  const found = findSection(file.text);
  if (found.kind !== 'one') return findings;
  const { section } = found;
  const rendered = renderSection({ wanted: [], addition: '', way: 'ours', port: PLAYERS_PORT });
  const seen = await readRuntime(reached, rendered);
  return [...findings, await checkPort(section, seen, outside), checkEntries(section, seen)];
}

async function checkReload({ worker }: WorkerConnection): Promise<Finding> {
  const check = 'HAProxy reload';
  const way = await findReloadMethod(worker.pid);
  if (way.kind === 'possible') return ok(check, `HAProxy can be reloaded ${way.by}.`);
  const found = `HAProxy cannot be reloaded: ${way.why}.`;
  return bad(
    check,
    found,
    `Give the master's user access to the socket of HAProxy's master process; ${GUIDE}.`,
  );
}

async function checkPort(section: Section, seen: RuntimeState, outside: UnmanagedConfig): Promise<Finding> {
  const check = 'HAProxy players';
  if (isBackendReferenced(outside))
    return ok(check, 'Other sections of the file send players to Overworld’s proxies.');
  if (seen.frontendId !== null) return ok(check, `HAProxy accepts players on port ${PLAYERS_PORT}.`);
  if (readSection(section.body).hasFrontend) {
    const found = 'HAProxy has not loaded the section yet, so players cannot join.';
    return bad(check, found, 'Run: systemctl reload haproxy');
  }
  if (await isPortFree(PLAYERS_PORT)) {
    const found = `Port ${PLAYERS_PORT} is free, but HAProxy does not use it yet. The master assigns it to HAProxy.`;
    return warning(check, found, 'Start the master.');
  }
  const found = `Another program uses port ${PLAYERS_PORT}, so HAProxy accepts no players.`;
  return bad(
    check,
    found,
    'Stop that program. If it is a proxy of this network, restart that service; it gets another port.',
  );
}

/**
 * Checks whether the proxies in the running HAProxy match those in its file. If they differ, a restart of HAProxy
 * would change which proxies accept players.
 */
function checkEntries(section: Section, seen: RuntimeState): Finding {
  const check = 'HAProxy entries';
  const inFile = linesOf(section.body)
    .map(({ text }) => wordsOf(text))
    .filter(([first]) => first === 'server')
    .map((words) => {
      const id = words[words.indexOf('id') + 1] ?? '';
      return `${words[1] ?? ''} ${id} ${words.includes('disabled') ? 'closed' : 'open'}`;
    });
  const running = seen.servers.map(
    ({ name, id, isClosed }) => `${name} ${id} ${isClosed ? 'closed' : 'open'}`,
  );
  const differing = [
    ...inFile.filter((one) => !running.includes(one)),
    ...running.filter((one) => !inFile.includes(one)),
  ].map((one) => one.split(' ')[0] ?? '');
  const names = [...new Set(differing)].sort();
  if (names.length === 0)
    return ok(check, `${inFile.length} proxies, the same in the file and in the running HAProxy.`);
  const found = `The file and the running HAProxy differ in ${names.join(', ')}.`;
  const advice =
    'This is expected while a proxy with players is being removed. Otherwise, start the master, which synchronises both.';
  return warning(check, found, advice);
}
