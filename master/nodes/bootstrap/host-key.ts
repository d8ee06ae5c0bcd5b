import { OverworldError } from '#shared/errors/overworld-error.ts';
import type { NodeShell } from '../shell.ts';
import { fingerprintOf } from '../ssh/fingerprint.ts';
import { lastWords } from './inspect.ts';

const KEY = '/etc/ssh/overworld_host_key';
const CONFIG = '/etc/ssh/sshd_config.d/01-overworld-host-key.conf';

/** Makes a key unless there is a whole one, and tells its public half. */
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

/** From now on sshd shows that key and no other one; connections that stand are not touched. */
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

/** The keys that the node was born with serve nobody any more. */
const CLEAN = 'rm -f /etc/ssh/ssh_host_*_key /etc/ssh/ssh_host_*_key.pub && sync -f /etc/ssh';

/** A node whose host key is looked after. */
export interface KeyKeeper {
  readonly node: string;
  readonly shell: NodeShell;
  /** Fingerprint of the key that it showed when we logged in. */
  readonly shown: string;
  /** Fingerprints that it may show, as noted. */
  readonly pins: readonly string[];
  /** Notes which ones it may show from now on; resolves when that cannot be forgotten any more. */
  readonly pin: (hostKeys: readonly string[]) => Promise<void>;
}

/**
 * Replaces the host key that a node was born with, which others may have read in its user_data, by one that was made on
 * it (docs/adr/0015). What is to be done follows from what the node shows and has, so it may be broken off at any point: both
 * keys are noted before the node shows the new one, and the old one is forgotten after the new one was seen.
 *
 * @returns `shown`: done; `changed`: the node shows the new key from now on, to be seen over a new connection
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
