import { OverworldError } from '#shared/errors/overworld-error.ts';
import type { NodeShell } from '../shell.ts';
import { fingerprintOf } from '#shared/node/fingerprint.ts';
import { lastWords } from './inspect.ts';

const KEY = '/etc/ssh/overworld_host_key';
const CONFIG = '/etc/ssh/sshd_config.d/01-overworld-host-key.conf';

/** Creates a key unless a complete one exists, and prints its public part. */
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

/** Makes sshd use only that key. Existing connections are not affected. */
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

/** Removes the node's first keys, which are no longer used. */
const CLEAN = 'rm -f /etc/ssh/ssh_host_*_key /etc/ssh/ssh_host_*_key.pub && sync -f /etc/ssh';

/** A node whose host key is managed. */
export interface KeyKeeper {
  readonly node: string;
  readonly shell: NodeShell;
  /** Fingerprint of the key that the node presented at login. */
  readonly shown: string;
  /** Fingerprints that the node may present, as stored. */
  readonly pins: readonly string[];
  /** Stores the fingerprints that the node may present from now on; resolves when they are durable. */
  readonly pin: (hostKeys: readonly string[]) => Promise<void>;
}

/**
 * Replaces the node's first host key by one that is created on the node (docs/adr/0015), because others may have
 * read the first key in the user data. Each step follows from the node's current state, so it may be interrupted at
 * any point: both keys are stored before the node presents the new one, and the old one is removed after the new
 * one was seen.
 *
 * @returns `shown`: complete; `changed`: the node presents the new key from now on, so a new connection is needed
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
  throw failed(node, lastWords(stderr) ?? `it ended with status ${code ?? 'unknown'}`);
}

function fingerprintOfLine({ node }: KeyKeeper, line: string): string {
  const [type, blob = ''] = line.trim().split(/\s+/);
  if (type !== 'ssh-ed25519' || !/^[A-Za-z0-9+/=]{40,100}$/.test(blob)) {
    throw failed(node, 'what it made is no ed25519 key');
  }
  return fingerprintOf(Buffer.from(blob, 'base64'));
}

function failed(node: string, why: string): OverworldError {
  return new OverworldError('NODE_TOOL_FAILED', { node, what: 'replace its first host key', why });
}
