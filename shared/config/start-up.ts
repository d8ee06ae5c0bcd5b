import { z } from 'zod';
import { featureOf } from '../java-version.ts';
import { field } from './field.ts';

/** Value of `java` that lets the master choose the version. */
export const AUTO_JAVA = 'auto';

/** Oldest version of Java that services can use. No supported server software needs an older one. */
const OLDEST_JAVA = 8;

/** A pattern of JVM arguments that are rejected, with the reason as the second half of a sentence. */
interface Refusal {
  readonly matches: RegExp;
  readonly why: string;
}

/** JVM arguments that would break rules of the master or end the JVM, and that are therefore rejected. */
const REFUSALS: readonly Refusal[] = [
  {
    matches: /^-(X?m[sx]\d|XX:(Initial|Max|Min)?(HeapSize|RAM|RAMPercentage|RAMFraction)=)/,
    why: 'sets the memory; use minJvmMemory and maxJvmMemory instead',
  },
  {
    matches: /^(-jar|-cp|-classpath|--class-path|-p|--module-path|-m|--module|-d|--describe-module)(=|$)/,
    why: 'chooses what Java runs, which is always server.jar',
  },
  {
    matches: /^(@|-XX:(VMOptionsFile|Flags)=|-XX:\+ReadVMOptionsFile)/,
    why: 'reads further arguments from a file; write them here',
  },
  {
    matches: /^-(agentlib:jdwp|Xrunjdwp|Xdebug|-debug)/,
    why: 'opens a port for debuggers, over which a client could run any program',
  },
  {
    matches: /^-(javaagent|agentpath):(\/|[A-Za-z]:|(.*[/\\])?\.\.([/\\=]|$))/,
    why: "loads an agent from outside of the service's folder; put it into the template's files and use a relative path",
  },
  {
    matches: /^-Duser\.home(=|$)/,
    why: "sets the home folder, which is always the service's own",
  },
  {
    matches:
      /^-(\?|h|help|-help|-help-extra|version|-version|fullversion|-full-version|X|-list-modules|-dry-run|-validate-modules)$/,
    why: 'makes Java print something and exit',
  },
];

/**
 * Returns why an argument cannot be given to the JVM, as the second half of a sentence. Null if it can.
 *
 * Example: `-Xmx4G` → "sets the memory; use minJvmMemory and maxJvmMemory instead".
 */
export function refusedArgument(argument: string): string | null {
  if (/^\s|\s$|[\r\n]/.test(argument)) return 'has spaces or line ends around it';
  if (/\s[-@]/.test(argument)) return 'contains several arguments; write each as an entry of its own';
  const refusal = REFUSALS.find(({ matches }) => matches.test(argument));
  if (refusal !== undefined) return refusal.why;
  return argument.startsWith('-')
    ? null
    : 'does not begin with "-", so Java would take it for a class to run';
}

const jvmArgumentSchema = z
  .string()
  .min(1)
  .max(1024)
  .superRefine((argument, context) => {
    const why = argument === '' ? null : refusedArgument(argument);
    if (why !== null) context.addIssue({ code: 'custom', message: why });
  });

/** Names of variables that Overworld, the system or the shell set or interpret. */
const RESERVED_NAMES = new Set([
  ...['PATH', 'HOME', 'LANG', 'USER', 'LOGNAME', 'SHELL', 'PWD', 'TMPDIR', 'JAVA_HOME', 'CLASSPATH'],
  ...['ENV', 'BASH_ENV', 'IFS', 'PS4', 'SHELLOPTS', 'BASHOPTS', 'GLIBC_TUNABLES', 'GCONV_PATH', 'LOCPATH'],
  ...[
    'INVOCATION_ID',
    'JOURNAL_STREAM',
    'NOTIFY_SOCKET',
    'MAINPID',
    'SYSTEMD_EXEC_PID',
    'MEMORY_PRESSURE_WATCH',
  ],
]);
const RESERVED_BEGINNINGS = ['OVERWORLD_', 'LD_', 'DYLD_', 'LISTEN_', 'MALLOC_'];
/** Variables from which Java reads arguments. */
const ARGUMENT_NAMES = new Set(['JAVA_TOOL_OPTIONS', 'JDK_JAVA_OPTIONS', '_JAVA_OPTIONS', 'JAVA_OPTIONS']);

/** Returns why a variable cannot be set, as the second half of a sentence. Null if it can. */
export function refusedVariable(name: string): string | null {
  if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(name))
    return 'must consist of letters, digits and "_", and not begin with a digit';
  if (ARGUMENT_NAMES.has(name)) return 'contains arguments for Java; use jvmArguments';
  const isReserved =
    RESERVED_NAMES.has(name) || RESERVED_BEGINNINGS.some((beginning) => name.startsWith(beginning));
  return isReserved ? 'is set by Overworld or the system, or changes which programs are loaded' : null;
}

/** A variable in the environment of each service (docs/specification.md#start-up). */
export const environmentEntrySchema = z.strictObject({
  name: field(
    z
      .string()
      .min(1)
      .max(128)
      .superRefine((name, context) => {
        const why = name === '' ? null : refusedVariable(name);
        if (why !== null) context.addIssue({ code: 'custom', message: why });
      }),
    {
      label: 'Name',
      help: 'Name of the variable.',
      allowed:
        'letters, digits and "_", not beginning with a digit, and not a variable that Overworld or the system sets',
      effect: 'next service start',
    },
  ),
  value: field(
    z
      .string()
      .max(4096)
      // Control characters other than line feed and tab have no meaning in a variable, and systemd rejects them.
      .regex(/^(?:\P{Cc}|[\n\t])*$/u),
    {
      label: 'Value',
      help: 'Value of the variable. Only people who can edit the template see it.',
      allowed: 'up to 4096 characters, without control characters other than line breaks and tabs',
      secret: true,
      effect: 'next service start',
    },
  ),
});

export type EnvironmentEntry = z.infer<typeof environmentEntrySchema>;

function hasUniqueNames(entries: readonly EnvironmentEntry[]): boolean {
  return new Set(entries.map(({ name }) => name)).size === entries.length;
}

function isJavaChoice(text: string): boolean {
  if (text === AUTO_JAVA) return true;
  return /^\d{1,2}$/.test(text) && (featureOf(text) ?? 0) >= OLDEST_JAVA;
}

/** The fields of a template that control how its services start and stop (docs/specification.md#start-up). */
export const startUpFields = {
  java: field(
    z.string().max(8).refine(isJavaChoice, { message: 'is no version of Java' }).default(AUTO_JAVA),
    {
      label: 'Java',
      help: 'Version of Java. "auto" chooses a version that is new enough for server.jar. If a node does not have the version, Overworld installs it.',
      allowed: '"auto", or a version from 8 on such as "21"',
      effect: 'next service start',
      group: 'Start-up',
      since: 5,
    },
  ),
  jvmArguments: field(z.array(jvmArgumentSchema).max(100).default([]), {
    label: 'JVM arguments',
    help: 'Additional arguments for Java, placed before -jar. Other settings set the heap.',
    allowed: 'a list of arguments such as "-XX:+UseG1GC"',
    effect: 'next service start',
    group: 'Start-up',
    since: 5,
  }),
  environment: field(
    z
      .array(environmentEntrySchema)
      .max(100)
      .refine(hasUniqueNames, { message: 'names a variable twice' })
      .default([]),
    {
      label: 'Environment',
      help: 'Environment variables of each service, such as the password of a database. Viewers do not see the values.',
      allowed: 'a list of variables with different names, each with name and value',
      effect: 'next service start',
      group: 'Start-up',
      since: 5,
    },
  ),
  startTimeout: field(z.int().min(1).max(86_400).default(300), {
    label: 'Start timeout',
    help: 'A start fails after this time, unless the service has written to its log within the last minute.',
    unit: 's',
    effect: 'now',
    group: 'Start-up',
    since: 5,
  }),
  stopTimeout: field(z.int().min(1).max(3600).default(30), {
    label: 'Stop timeout',
    help: 'Time that a stopping service has to save its worlds. Then its process is killed.',
    unit: 's',
    effect: 'now',
    group: 'Start-up',
    since: 5,
  }),
};

/**
 * JVM arguments for game servers by Aikar, which tune the G1 collector for many short-lived objects. Source:
 * https://docs.papermc.io/paper/aikars-flags, for less than 12 GB of memory. `AlwaysPreTouch` is left out, because it
 * takes all memory at the start, and services share a machine.
 */
const AIKAR = [
  '-XX:+UseG1GC',
  '-XX:+ParallelRefProcEnabled',
  '-XX:MaxGCPauseMillis=200',
  '-XX:+UnlockExperimentalVMOptions',
  '-XX:+DisableExplicitGC',
  '-XX:G1NewSizePercent=30',
  '-XX:G1MaxNewSizePercent=40',
  '-XX:G1HeapRegionSize=8M',
  '-XX:G1ReservePercent=20',
  '-XX:G1HeapWastePercent=5',
  '-XX:G1MixedGCCountTarget=4',
  '-XX:InitiatingHeapOccupancyPercent=15',
  '-XX:G1MixedGCLiveThresholdPercent=90',
  '-XX:G1RSetUpdatingPauseTimePercent=5',
  '-XX:SurvivorRatio=32',
  '-XX:+PerfDisableSharedMem',
  '-XX:MaxTenuringThreshold=1',
] as const;

/**
 * JVM arguments for Velocity. Source: https://docs.papermc.io/velocity/tuning. `AlwaysPreTouch` is left out (see
 * {@link AIKAR}).
 */
const VELOCITY = [
  '-XX:+UseG1GC',
  '-XX:G1HeapRegionSize=4M',
  '-XX:+UnlockExperimentalVMOptions',
  '-XX:+ParallelRefProcEnabled',
  '-XX:MaxInlineLevel=15',
] as const;

/** Lists of JVM arguments that the form offers. */
export const JVM_ARGUMENT_PRESETS: readonly {
  readonly name: string;
  readonly arguments: readonly string[];
}[] = [
  { name: "Aikar's flags (game servers)", arguments: AIKAR },
  { name: 'Velocity (proxies)', arguments: VELOCITY },
  { name: 'Little memory (serial collector)', arguments: ['-XX:+UseSerialGC'] },
];
