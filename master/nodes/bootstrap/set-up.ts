import { OverworldError } from '#shared/errors/overworld-error.ts';
import { quote } from '#shared/text/shell.ts';
import type { NodeShell } from '../shell.ts';
import { inspect, lastOutputLine, type NodeInspection } from './inspect.ts';
import { REMOTE_NODE, type NodeNames } from '../node-names.ts';
import { bootstrapScript, markerOf, STEP } from './script.ts';

/**
 * Time limit of the bootstrap script (ms). Installing Java takes 20 s from the provider's mirror, and minutes if the
 * mirror is slow.
 */
const SCRIPT_TIMEOUT_MS = 600_000;

/** Maximum time to wait until a booting node reports a new step (in units of 200 ms): 5 s. */
const FIFTHS = 25;

/** A node to be set up. */
export interface SetUp {
  readonly node: string;
  readonly shell: NodeShell;
  readonly sshPort: number;
  /** Names of users and folders on the node; default {@link REMOTE_NODE}. */
  readonly names?: NodeNames | undefined;
  /** Reports the current step for users. */
  readonly step: (text: string) => void;
}

/**
 * Waits until a node has completed its first boot. Then checks whether the node has completed the current bootstrap
 * script, and runs the script if it has not. Possible reasons are that cloud-init failed, or that the user data
 * contained an older script. Has no time limit of its own.
 *
 * @returns the findings of the last inspection
 * @throws OverworldError NODE_UNREACHABLE, NODE_TOOL_FAILED
 */
export async function setUp(setting: SetUp): Promise<NodeInspection> {
  const { node, shell, step, names } = setting;
  const wanted = bootstrapScript(setting.sshPort, names).name;
  for (;;) {
    const found = await inspect(shell, node, names);
    if (found.marker === wanted) return found;
    if (found.marker === null && found.cloudInit === 'running') {
      step(found.step ?? 'Completing its first boot.');
      await somethingNew(setting, found.step);
    } else {
      step('Setting up the node.');
      await runBootstrap(setting);
    }
  }
}

/**
 * Runs the bootstrap script on a node, for at most 10 min.
 *
 * @throws OverworldError NODE_UNREACHABLE (also after 10 min); NODE_TOOL_FAILED if the script fails
 */
export async function runBootstrap({ node, shell, sshPort, names }: Omit<SetUp, 'step'>): Promise<void> {
  const { text } = bootstrapScript(sshPort, names);
  const options = { stdin: text, timeoutMs: SCRIPT_TIMEOUT_MS };
  const { code, stderr } = await shell.run('sh -s', options);
  if (code === 0) return;
  const why = lastOutputLine(stderr) ?? `its script exited with status ${code ?? 'unknown'}`;
  throw new OverworldError('NODE_TOOL_FAILED', { node, what: 'set up the machine', why });
}

/** Resolves when the node reports another step than `step` or has booted, or after 5 s. */
async function somethingNew({ shell, names = REMOTE_NODE }: SetUp, step: string | null): Promise<void> {
  const script = `
i=0
while [ $i -lt ${FIFTHS} ] && [ ! -e ${markerOf(names)} ] && [ ! -e /var/lib/cloud/instance/boot-finished ] \\
  && [ "$(head -n 1 ${STEP} 2> /dev/null)" = ${quote(step ?? '')} ]; do i=$((i + 1)); sleep 0.2; done
`;
  await shell.run(script);
}
