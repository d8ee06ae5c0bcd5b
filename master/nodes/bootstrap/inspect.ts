import { isIP } from 'node:net';
import { z } from 'zod';
import { OverworldError } from '#shared/errors/overworld-error.ts';
import type { NodeShell } from '../shell.ts';
import { JAVA_PROBLEM, MARKER, STEP } from './script.ts';

const INSPECT_TIMEOUT_MS = 15_000;

const text = z.string().max(1_000);
const orNull = text.transform((value) => (value === '' ? null : value));

const findingsSchema = z.object({
  /** Its clock, ms since epoch. */
  clock: z
    .string()
    .regex(/^\d{1,15}$/)
    .transform(Number),
  /** Address from which the master reaches it, as it sees it; null when what it says is none. */
  client: text.transform((value) => (isPlainAddress(value) ? value : null)),
  /** `3.11`; null when there is none. */
  python: orNull,
  /** Path of `java`; null when there is none. */
  java: orNull,
  /** Why the last try to install Java failed, and how long ago that was, s. */
  javaProblem: orNull,
  javaTriedAgo: orNull.transform((value) => (value === null ? null : Number(value))),
  /** Name of the bootstrap script that has run through; null when none has. */
  marker: orNull,
  step: orNull,
  /** `running` until the system has gone through its first boot; `none`: it has no cloud-init, or it is switched off. */
  cloudInit: z.enum(['running', 'done', 'none']),
  /** What cloud-init itself said it could not do, one line. */
  cloudErrors: orNull,
  /** Free space where services live, KiB. */
  freeKb: z.string().regex(/^\d+$/).transform(Number),
  usedInodesPercent: z
    .string()
    .regex(/^\d*$/)
    .transform((value) => (value === '' ? 0 : Number(value))),
});

/** One address, and no network or zone: it goes into the firewall of all nodes (hetzner/firewall-rules.ts). */
function isPlainAddress(value: string): boolean {
  return isIP(value) !== 0 && !value.includes('%');
}

/** What a node says of itself. */
export type Findings = z.infer<typeof findingsSchema> & {
  /** How far its clock is ahead of ours, ms; negative: behind. 0 while the difference may come from the way there. */
  readonly clockOffMs: number;
};

/** Shell only: on a node that is not set up yet nothing else can be counted on. One `name=value` a line. */
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
say marker "$(head1 ${MARKER})"
say step "$(head1 ${STEP})"
if [ -e /var/lib/cloud/instance/boot-finished ]; then say cloudInit done
elif [ -e /run/cloud-init/disabled ] || ! command -v cloud-init > /dev/null; then say cloudInit none
else say cloudInit running; fi
say cloudErrors "$(python3 -I -c 'import json; print("; ".join(json.load(open("/run/cloud-init/result.json"))["v1"]["errors"]))' 2> /dev/null)"
say freeKb "$(df -kP /var/lib | awk 'NR == 2 { print $4 }')"
say usedInodesPercent "$(df -iP /var/lib | awk 'NR == 2 { sub("%", "", $5); if ($5 ~ /^[0-9]+$/) print $5 }')"
`;

/**
 * Looks at a node.
 *
 * @throws OverworldError NODE_UNREACHABLE, NODE_TOOL_FAILED when its answer makes no sense
 */
export async function inspect(shell: NodeShell, node: string): Promise<Findings> {
  const before = Date.now();
  const { code, stdout, stderr } = await shell.run('sh -s', { stdin: SCRIPT, timeoutMs: INSPECT_TIMEOUT_MS });
  const after = Date.now();
  const said = stdout.toString();
  const values = [...said.matchAll(/^([a-zA-Z]+)=(.*)$/gm)].map(([, name, value]) => [name, value]);
  const parsed = findingsSchema.safeParse(Object.fromEntries(values));
  if (code !== 0 || !parsed.success) {
    const why = lastWords(stderr || said) ?? 'its answer makes no sense';
    throw new OverworldError('NODE_TOOL_FAILED', { node, what: 'look at it', why }, parsed.error);
  }
  return { ...parsed.data, clockOffMs: clockOff(parsed.data.clock, before, after) };
}

/** The last line that a program said, as a clause; null when it said nothing. */
export function lastWords(output: string): string | null {
  const line = output.trim().split('\n').at(-1)?.trim() ?? '';
  return line === '' ? null : `it said "${line.slice(0, 300)}"`;
}

/**
 * How far a clock is off that was read at some moment between two of ours: 0 when it may be right. Ours 1,000 and
 * 1,200, theirs 900: −100.
 */
export function clockOff(theirs: number, before: number, after: number): number {
  if (theirs < before) return theirs - before;
  return theirs > after ? theirs - after : 0;
}
