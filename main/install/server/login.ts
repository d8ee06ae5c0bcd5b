import type { AnyAuthMethod } from 'ssh2';
import { OverworldError } from '#shared/errors/overworld-error.ts';
import type { ServerDraft } from '#shared/ipc/contract.ts';
import { addressOf } from '../../connections/ssh.ts';
import type { KeyFiles } from './key-files.ts';

/** A login to a server in the form that ssh2 takes. Contains secrets, so never log or store it. */
export interface PreparedLogin {
  readonly user: string;
  /** Methods to try, in this order. */
  readonly methods: readonly AnyAuthMethod[];
  /** What the server has refused if all methods failed, as a clause for an error message. */
  readonly refused: string;
}

/** The sources of this computer from which a login is prepared. */
export interface LoginSources {
  readonly keyFiles: Pick<KeyFiles, 'open'>;
  /** Returns the address of the SSH agent; null if none runs. */
  agent(): Promise<string | null>;
}

/**
 * Collects what a login needs: the address of the SSH agent, the content of the key file, or the password. Contacts
 * no server.
 *
 * @throws OverworldError LOGIN_KEY_NOT_CHOSEN, LOGIN_KEY_UNUSABLE, or SERVER_LOGIN_REFUSED if no agent runs
 */
export async function prepareLogin(server: ServerDraft, sources: LoginSources): Promise<PreparedLogin> {
  const { user, login } = server;
  switch (login.kind) {
    case 'agent': {
      const agent = await sources.agent();
      if (agent === null) {
        const why = 'no SSH agent runs on this computer';
        throw new OverworldError('SERVER_LOGIN_REFUSED', { address: addressOf(server), user, why });
      }
      const refused = 'it accepts none of the keys of the SSH agent';
      return { user, methods: [{ type: 'agent', username: user, agent }], refused };
    }
    case 'keyFile': {
      const { key, passphrase } = await sources.keyFiles.open(login.path, login.passphrase);
      const secret = passphrase === undefined ? {} : { passphrase };
      const refused = `it does not accept the key ${login.path}`;
      return { user, methods: [{ type: 'publickey', username: user, key, ...secret }], refused };
    }
    case 'password':
      return {
        user,
        methods: passwordMethods(user, login.password),
        refused: 'it does not accept the password',
      };
  }
}

/**
 * Returns the methods to log in with a password. Many servers ask for the password only by `keyboard-interactive`,
 * which PAM handles.
 */
function passwordMethods(user: string, password: string): AnyAuthMethod[] {
  return [
    { type: 'password', username: user, password },
    {
      type: 'keyboard-interactive',
      username: user,
      prompt: (...args) => {
        const [, , , prompts, finish] = args;
        const [prompt, ...others] = prompts;
        // Any other question does not ask for the password, but for example for the code of a second factor.
        const isPassword = prompt !== undefined && others.length === 0 && prompt.echo !== true;
        finish(isPassword ? [password] : prompts.map(() => ''));
      },
    },
  ];
}
