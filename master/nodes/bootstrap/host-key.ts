import { OverworldError } from '#shared/errors/overworld-error.ts';
import type { NodeShell } from '../shell.ts';
import { fingerprintOf } from '#shared/node/fingerprint.ts';
import { lastOutputLine } from './inspect.ts';

const KEY = '/etc/ssh/overworld_host_key';
const CONFIG = '/etc/ssh/sshd_config.d/01-overworld-host-key.conf';

/** Shell script that creates the node's own host key, unless a complete one exists, and prints its public key. */
const MAKE = `
set -e
export LC_ALL=C PATH=/usr/sbin:/usr/bin:/sbin:/bin
if ! ssh-keygen -y -f ${KEY} > /dev/null 2>&1 < /dev/null; then
  rm -rf /etc/ssh/.overworld.*
  folder=$(mktemp -d /etc/ssh/.overworld.XXXXXX)
  ssh-keygen -q -t ed25519 -N '' -C overworld-node -f "$folder/key" < /dev/null
  sync -f "$folder/key"
  mv -f "$folder/key" ${KEY}
  rm -rf "$folder"
  sync -f /etc/ssh
fi
ssh-keygen -y -f ${KEY} < /dev/null
`;

/** Shell script that makes sshd use only the node's own host key. Existing connections are not affected. */
const SHOW = `
set -e
export LC_ALL=C PATH=/usr/sbin:/usr/bin:/sbin:/bin
printf '# Written by Overworld.\\nHostKey ${KEY}\\n' > ${CONFIG}.new
sync -f ${CONFIG}.new
mv -f ${CONFIG}.new ${CONFIG}
if ! sshd -t; then rm -f ${CONFIG}; exit 1; fi
sync -f ${CONFIG}
systemctl reload ssh.service
`;

/** Shell command that removes the node's first host keys, which sshd no longer uses. */
const CLEAN = 'rm -f /etc/ssh/ssh_host_*_key /etc/ssh/ssh_host_*_key.pub && sync -f /etc/ssh';

/** A node whose first host key must be replaced. */
export interface KeyKeeper {
  readonly node: string;
  readonly shell: NodeShell;
  /** Fingerprint of the host key that the node presented when the master logged in. */
  readonly shown: string;
  /** Stored fingerprints of the host keys that the node may present. */
  readonly pins: readonly string[];
  /** Stores the fingerprints that the node may present from now on; resolves when they are durable. */
  readonly pin: (hostKeys: readonly string[]) => Promise<void>;
}

/**
 * Replaces the node's first host key by a key that is created on the node (docs/adr/0015), because others may have
 * read the first key in the user data. The function may be interrupted at any point, because each step depends only
 * on the node's current state. The fingerprints of both keys are stored before the node presents the new key. The
 * first key is removed after the node has presented the new one.
 *
 * @returns `shown`: the node presented the new key, and the replacement is complete; `changed`: the node presents
 *   the new key from now on, so the caller must connect again and repeat the call
 * @throws OverworldError NODE_UNREACHABLE, NODE_TOOL_FAILED, or what `pin` throws
 */
export async function replaceHostKey(keeper: KeyKeeper): Promise<'shown' | 'changed'> {
  const { shown, pins } = keeper;
  const made = fingerprintOfLine(keeper, await runScript(keeper, MAKE));
  if (made === shown) {
    await runScript(keeper, CLEAN);
    if (pins.length !== 1 || pins[0] !== shown) await keeper.pin([shown]);
    return 'shown';
  }
  await keeper.pin([shown, made]);
  await runScript(keeper, SHOW);
  return 'changed';
}

async function runScript({ node, shell }: KeyKeeper, script: string): Promise<string> {
  const { code, stdout, stderr } = await shell.run('sh -s', { stdin: script });
  if (code === 0) return stdout.toString();
  throw failed(node, lastOutputLine(stderr) ?? `it exited with status ${code ?? 'unknown'}`);
}

function fingerprintOfLine({ node }: KeyKeeper, line: string): string {
  const [type, blob = ''] = line.trim().split(/\s+/);
  if (type !== 'ssh-ed25519' || !/^[A-Za-z0-9+/=]{40,100}$/.test(blob)) {
    throw failed(node, 'it did not generate an ed25519 key');
  }
  return fingerprintOf(Buffer.from(blob, 'base64'));
}

function failed(node: string, why: string): OverworldError {
  return new OverworldError('NODE_TOOL_FAILED', { node, what: 'replace the initial host key', why });
}
