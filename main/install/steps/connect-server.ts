import { OverworldError } from '#shared/errors/overworld-error.ts';
import type { ServerDraft } from '#shared/ipc/contract.ts';
import { visibleName } from '#shared/text/visible-name.ts';
import { addressOf } from '../../connections/ssh.ts';
import type { DialogQuestion } from '../../window/ask.ts';
import { Cancelled } from '../job/cancelled.ts';
import { personAt } from '../job/draft.ts';
import type { JobControl, ServerMemory, StepControl } from '../job/job-parts.ts';
import { isOneOf, type HostKey } from '../server/host-key.ts';
import { prepareLogin } from '../server/login.ts';
import { askHostKey, openServer } from '../server/open-server.ts';
import { ServerShell } from '../server/shell.ts';

interface Contacted {
  readonly server: ServerDraft;
  /** What the job knows about this server. The function updates it. */
  readonly memory: ServerMemory;
  /** What the app does on the server, for the question to the person: `installs a master`. */
  readonly purpose: string;
}

/**
 * Connects to a server and logs in. A person compares the host key first if neither the job, nor the app, nor OpenSSH
 * on this computer knows the key. Until then, neither the user name nor any part of the login is sent. Also asks the
 * person before the app uses a key or an agent for this server for the first time in the job.
 *
 * @throws OverworldError SERVER_UNREACHABLE, SERVER_KEY_CHANGED, SERVER_LOGIN_REFUSED, LOGIN_KEY_NOT_CHOSEN,
 *   LOGIN_KEY_UNUSABLE; Cancelled if the person declines; or the signal's abort reason
 */
export async function connectServer(
  job: JobControl,
  step: StepControl,
  { server, memory, purpose }: Contacted,
): Promise<ServerShell> {
  const { parts, signal } = job;
  job.report({ hostKeyOf: personAt(server), hostKey: memory.hostKey?.fingerprint ?? null });
  // A login that cannot work is reported before the person compares keys.
  const login = await prepareLogin(server, parts.logins);
  const expected = await expectedKeys(job, { server, memory });
  const shown = await askHostKey(server, expected.keys, signal);
  const address = addressOf(server);
  job.report({ hostKey: shown.fingerprint });
  if (isOneOf(expected.revoked, shown) || (expected.keys.length > 0 && !isOneOf(expected.keys, shown))) {
    const known = expected.keys.map(({ fingerprint }) => fingerprint).join(' or ');
    throw new OverworldError('SERVER_KEY_CHANGED', {
      address,
      expected: known === '' ? 'another one' : known,
      found: shown.fingerprint,
      source: expected.source,
    });
  }
  if (expected.keys.length === 0) await askForTrust(job, { server, purpose, shown });
  else if (!memory.loginAllowed && server.login.kind !== 'password')
    await askForLogin(job, { server, purpose });
  memory.hostKey = shown;
  memory.loginAllowed = true;
  const client = await openServer(server, { hostKey: shown, login, signal });
  step.detail(`Logged in as ${server.user} at ${address}.`);
  return new ServerShell(client, address);
}

/** Host keys that a server may show. If the list is empty, a person must compare the server's key. */
interface ExpectedKeys {
  readonly keys: readonly HostKey[];
  readonly revoked: readonly HostKey[];
  /** Where the keys come from, for messages. */
  readonly source: string;
}

async function expectedKeys(
  { parts }: JobControl,
  { server, memory }: Pick<Contacted, 'server' | 'memory'>,
): Promise<ExpectedKeys> {
  const { trusted, revoked } = await parts.knownHostKeys(server);
  if (memory.hostKey !== null) return { keys: [memory.hostKey], revoked, source: 'the start of this job' };
  const own = parts.masters.hostKeysOf(server);
  const source =
    trusted.length > 0 || revoked.length > 0 ? '~/.ssh/known_hosts' : 'the connection in this app';
  return { keys: [...own, ...trusted], revoked, source };
}

interface Asked {
  readonly server: ServerDraft;
  readonly purpose: string;
}

async function askForTrust(job: JobControl, asked: Asked & { readonly shown: HostKey }): Promise<void> {
  if (!(await job.askTrust())) throw new Cancelled();
  await ask(job, trustQuestion(asked));
}

async function askForLogin(job: JobControl, asked: Asked): Promise<void> {
  await ask(job, loginQuestion(asked));
}

/**
 * Asks the person in a dialog of the system, because a compromised window could answer its own questions. Some
 * logins, for example with the keys of an SSH agent, need no secret from the person.
 */
async function ask(job: JobControl, question: DialogQuestion): Promise<void> {
  const { confirmed } = await job.whileAsking(() => job.parts.ask(question));
  if (!confirmed) throw new Cancelled();
  job.signal.throwIfAborted();
}

function trustQuestion({ server, purpose, shown }: Asked & { readonly shown: HostKey }): DialogQuestion {
  const address = visibleName(addressOf(server));
  return {
    title: 'Trust a server',
    message: `Is this the host key of ${visibleName(server.host)}?`,
    detail: `${address} shows:\n${shown.fingerprint}\n\nTrust it only if you have compared it. The app then logs in there as ${server.user} and ${purpose}.`,
    confirm: 'Trust this key',
  };
}

function loginQuestion({ server, purpose }: Asked): DialogQuestion {
  const { login, user } = server;
  const means =
    login.kind === 'keyFile' ? `the key ${visibleName(login.path)}` : 'the keys of your SSH agent';
  return {
    title: 'Log in to a server',
    message: `Log in as ${user} at ${visibleName(addressOf(server))}?`,
    detail: `The app uses ${means} and ${purpose} there.`,
    confirm: 'Log in',
  };
}
