import { OverworldError } from '#shared/errors/overworld-error.ts';
import type { ServerDraft } from '#shared/ipc/contract.ts';
import { addressOf } from '../../connections/ssh.ts';
import type { Ran, ServerShell, Sudo } from './shell.ts';

/**
 * Determines how the user becomes root.
 *
 * @throws OverworldError SERVER_SUDO_REFUSED, SERVER_CONNECTION_LOST, or the signal's abort reason
 */
export async function findSudo(
  shell: ServerShell,
  server: Pick<ServerDraft, 'host' | 'port' | 'user' | 'sudoPassword'>,
  signal: AbortSignal,
): Promise<Sudo> {
  const { user, sudoPassword: password } = server;
  const refuse = (why: string) =>
    new OverworldError('SERVER_SUDO_REFUSED', { address: addressOf(server), user, why });
  if ((await shell.runLine('id -u', '', signal)).stdout.trim() === '0') return { kind: 'root' };
  const free = await shell.runLine('env LC_ALL=C sudo -k -n true', '', signal);
  if (free.code === 0) return { kind: 'free' };
  if (free.code === 127 || /sudo: (command )?not found|No such file/i.test(free.stderr)) {
    throw refuse('sudo is not installed there');
  }
  if (password === undefined || password === '') {
    throw refuse(explain(free) ?? 'sudo asks for a password, and none was entered');
  }
  // sudo reads the password up to the end of its line. The text after a line end would answer sudo's second question.
  if (/[\n\r\0]/.test(password)) throw refuse('the password contains a line end');
  const asked = await shell.runLine(`env LC_ALL=C sudo -k -S -p '' true`, `${password}\n`, signal);
  if (asked.code === 0) return { kind: 'password', password };
  throw refuse(explain(asked) ?? 'sudo does not accept the password');
}

/** Returns why sudo refused, if the reason is not the password. */
function explain({ stderr }: Ran): string | null {
  if (/not in the sudoers file|may not run sudo|not allowed to (execute|run)/i.test(stderr)) {
    return 'this user may not use sudo';
  }
  if (/must have a tty|tty present/i.test(stderr)) return 'sudo demands a terminal (requiretty) there';
  if (/account (is )?locked|expired/i.test(stderr)) return 'the account is locked or has expired';
  return null;
}
