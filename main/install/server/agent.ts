import { readdir, stat } from 'node:fs/promises';

const PIPES = '\\\\.\\pipe\\';

/** The properties of the app's process that {@link findAgent} reads. */
interface AgentSurroundings {
  readonly platform: NodeJS.Platform;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/**
 * Returns the address of this computer's SSH agent in the form that ssh2 takes: a socket or a named pipe. Null if no
 * agent runs.
 *
 * On Windows, the function tries in this order: `SSH_AUTH_SOCK`, the agent of Windows's own OpenSSH, and Pageant
 * (0.75 or later, which has a named pipe).
 */
export async function findAgent({ platform, env }: AgentSurroundings = process): Promise<string | null> {
  const socket = env['SSH_AUTH_SOCK'];
  if (socket !== undefined && socket !== '' && (await exists(socket))) return socket;
  if (platform !== 'win32') return null;
  const pipes = await readdir(PIPES).catch((): string[] => []);
  const pipe =
    pipes.find((name) => name === 'openssh-ssh-agent') ?? pipes.find((name) => name.startsWith('pageant.'));
  return pipe === undefined ? null : `${PIPES}${pipe}`;
}

function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}
