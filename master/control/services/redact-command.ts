import { SECRET_MASK } from '#shared/config/secret.ts';

/** Commands of login plugins (AuthMe, nLogin, LoginSecurity and others) whose arguments are passwords. */
const SECRET_COMMANDS: ReadonlySet<string> = new Set([
  'authme',
  'changepass',
  'changepassword',
  'cp',
  'l',
  'login',
  'nlogin',
  'pass',
  'passwd',
  'password',
  'reg',
  'register',
  'unreg',
  'unregister',
]);

/** A command: slashes and the plugin's prefix (`/authme:`), its name, and its arguments. */
const COMMAND = /^(\s*\/*(?:[^\s:]+:)?)(\S+)(\s+)(\S[^]*)$/;

/**
 * Pattern of the arguments of commands that run another command: the part before the other command, and the other
 * command.
 */
const RUNS: Readonly<Record<string, RegExp>> = {
  execute: /^([^]*?\brun\s+)([^]+)$/i,
  sudo: /^(\S+\s+)([^]+)$/,
};

/**
 * Returns a console command for the activity log. If the command, or a command that it runs, takes passwords, its
 * arguments are replaced by `••••`. Ignores the case of command names.
 *
 * Example: `/authme:login hunter2` → `/authme:login ••••`, `op Anna` → `op Anna`.
 */
export function redactCommand(line: string): string {
  const [, before = '', command = '', space = '', args = ''] = COMMAND.exec(line) ?? [];
  const name = command.toLowerCase();
  if (name === '') return line;
  if (SECRET_COMMANDS.has(name)) return `${before}${command} ${SECRET_MASK}`;
  const [, own, other] = (Object.hasOwn(RUNS, name) ? RUNS[name]?.exec(args) : null) ?? [];
  if (own === undefined || other === undefined) return line;
  return `${before}${command}${space}${own}${redactCommand(other)}`;
}
