import { isIP } from 'node:net';
import { z } from 'zod';
import { OverworldError } from '#shared/errors/overworld-error.ts';
import type { NodeShell } from '../shell.ts';
import { REMOTE_NODE, type NodeNames } from '../node-names.ts';
import { FIREWALL_PROBLEM, JAVA_PROBLEM, markerOf, STEP } from './script.ts';

const INSPECT_TIMEOUT_MS = 15_000;

const text = z.string().max(1_000);
const orNull = text.transform((value) => (value === '' ? null : value));

const findingsSchema = z.object({
  /** Time of the node's clock (ms since epoch). */
  clock: z
    .string()
    .regex(/^\d{1,15}$/)
    .transform(Number),
  /** Address of the master as seen by the node; null if the reported value is no plain IP address. */
  client: text.transform((value) => (isPlainAddress(value) ? value : null)),
  /** Version of Python on the node, such as `3.11`; null if Python is missing. */
  python: orNull,
  /** Path of `java` on the node; null if Java is missing. */
  java: orNull,
  /** Why the last attempt to install Java failed; null if no failure is recorded on the node. */
  javaProblem: orNull,
  /** Time since the last failed attempt to install Java (s); null if no failure is recorded on the node. */
  javaTriedAgo: orNull.transform((value) => (value === null ? null : Number(value))),
  /** Why the node's own firewall could not be set up; null if it was set up, or if the set-up was not tried yet. */
  firewallProblem: orNull,
  /** Name of the bootstrap script that was completed last; null if none was. */
  marker: orNull,
  /** Current step of a running bootstrap script, as a sentence for users; null if no step is recorded. */
  step: orNull,
  /** State of cloud-init: `running` until the first boot is complete; `none` if it is missing or disabled. */
  cloudInit: z.enum(['running', 'done', 'none']),
  /** Errors reported by cloud-init, as one line; null if there are none. */
  cloudErrors: orNull,
  /** Free space on the disk that stores the services (KiB). */
  freeKb: z.string().regex(/^\d+$/).transform(Number),
  usedInodesPercent: z
    .string()
    .regex(/^\d*$/)
    .transform((value) => (value === '' ? 0 : Number(value))),
});

/**
 * Reports whether the text is one IP address without an IPv6 zone such as `%eth0`. Only such addresses are added to
 * the nodes' firewall (hetzner/firewall-rules.ts).
 */
function isPlainAddress(value: string): boolean {
  return isIP(value) !== 0 && !value.includes('%');
}

/** State that a node reports about itself. */
export type NodeInspection = z.infer<typeof findingsSchema> & {
  /**
   * Difference between the node's clock and the master's (ms); negative if the node's clock is behind. 0 if the
   * delay of the connection may explain the difference.
   */
  readonly clockOffMs: number;
};

/**
 * Shell script that inspects a node. It is plain `sh`, because a node that is not set up may have nothing else.
 * Prints one `name=value` per line.
 */
const SCRIPT = `
export LC_ALL=C PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
say() { printf '%s=%s\\n' "$1" "$(printf '%s' "$2" | tr -d '\\r' | tr '\\n' ' ' | cut -c 1-1000)"; }
head1() { [ -r "$1" ] && head -n 1 "$1"; }
say clock "$(date +%s%3N)"
say client "\${SSH_CLIENT%% *}"
say python "$(python3 -I -c 'import sys; print("%d.%d" % sys.version_info[:2])' 2> /dev/null)"
say java "$(command -v java)"
say javaProblem "$(head1 ${JAVA_PROBLEM})"
say javaTriedAgo "$([ -e ${JAVA_PROBLEM} ] && echo $(($(date +%s) - $(stat -c %Y ${JAVA_PROBLEM}))))"
say firewallProblem "$(head1 ${FIREWALL_PROBLEM})"
say marker "$(head1 @MARKER@)"
say step "$(head1 ${STEP})"
if [ -e /var/lib/cloud/instance/boot-finished ]; then say cloudInit done
elif [ -e /run/cloud-init/disabled ] || ! command -v cloud-init > /dev/null; then say cloudInit none
else say cloudInit running; fi
say cloudErrors "$(python3 -I -c 'import json; print("; ".join(json.load(open("/run/cloud-init/result.json"))["v1"]["errors"]))' 2> /dev/null)"
say freeKb "$(df -kP /var/lib | awk 'NR == 2 { print $4 }')"
say usedInodesPercent "$(df -iP /var/lib | awk 'NR == 2 { sub("%", "", $5); if ($5 ~ /^[0-9]+$/) print $5 }')"
`;

/**
 * Inspects a node: runs a script that reports its state, such as the steps of its setup, its clock, disk and Java.
 * Changes nothing on the node. Takes at most 15 s.
 *
 * @param names names of folders on the node
 * @throws OverworldError NODE_UNREACHABLE, NODE_TOOL_FAILED if its answer is not valid
 */
export async function inspect(
  shell: NodeShell,
  node: string,
  names: NodeNames = REMOTE_NODE,
): Promise<NodeInspection> {
  const before = Date.now();
  const stdin = SCRIPT.replace('@MARKER@', markerOf(names));
  const { code, stdout, stderr } = await shell.run('sh -s', { stdin, timeoutMs: INSPECT_TIMEOUT_MS });
  const after = Date.now();
  const said = stdout.toString();
  const values = [...said.matchAll(/^([a-zA-Z]+)=(.*)$/gm)].map(([, name, value]) => [name, value]);
  const parsed = findingsSchema.safeParse(Object.fromEntries(values));
  if (code !== 0 || !parsed.success) {
    const why = lastOutputLine(stderr || said) ?? 'its answer cannot be parsed';
    throw new OverworldError('NODE_TOOL_FAILED', { node, what: 'inspect the machine', why }, parsed.error);
  }
  return { ...parsed.data, clockOffMs: clockOff(parsed.data.clock, before, after) };
}

/**
 * Returns the last line of a program's output as a clause, with at most 300 characters of it; null if there is no
 * output.
 *
 * Example: `lastOutputLine('a\nno space left')` is `it answered "no space left"`.
 */
export function lastOutputLine(output: string): string | null {
  const line = output.trim().split('\n').at(-1)?.trim() ?? '';
  return line === '' ? null : `it answered "${line.slice(0, 300)}"`;
}

/**
 * Returns by how many ms another clock is ahead of the master's clock; negative if the other clock is behind, 0 if
 * the clocks may be equal. The other clock showed `theirs` at some moment between `before` and `after` on the
 * master's clock.
 *
 * Example: a clock that showed 900 between 1,000 and 1,200 gives −100.
 */
export function clockOff(theirs: number, before: number, after: number): number {
  if (theirs < before) return theirs - before;
  return theirs > after ? theirs - after : 0;
}
