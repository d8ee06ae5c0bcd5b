import { ownTime, toPlain } from './console-text.ts';

/** Level that a console line states. `trace`: the line belongs to a stack trace. */
export type ConsoleLevel = 'error' | 'warn' | 'debug' | 'trace';

/** Level names of Log4j, Logback and java.util.logging. Null: lines of this level are shown as ordinary lines. */
const LEVELS: Readonly<Record<string, ConsoleLevel | null>> = {
  FATAL: 'error',
  SEVERE: 'error',
  ERROR: 'error',
  WARNING: 'warn',
  WARN: 'warn',
  INFO: null,
  CONFIG: null,
  DEBUG: 'debug',
  TRACE: 'debug',
  FINE: 'debug',
  FINER: 'debug',
  FINEST: 'debug',
};
const NAMES = Object.keys(LEVELS).join('|');
/** A level at the start of the line: `[ERROR] …`, `WARNING: …`. */
const LEADING = new RegExp(`^\\s*(?:\\[(${NAMES})\\]|(${NAMES}):)`);
/** A level after a time: `[12:34:56 WARN]: …`, `[12:34:56] [main/WARN]: …`, `12:34:56.789 [main] WARN …`. */
const BEHIND_TIME = new RegExp(`(?:^|[[/\\s])(${NAMES})(?=[\\]:\\s]|$)`);
/** Number of characters at the start of a line that are searched for a level name. The message begins after them. */
const HEAD = 120;

const FRAME = /^\s+at \S+\(|^\s+\.\.\. \d+ (?:more|common frames omitted)/;
const THROWN =
  /^\s*(?:Caused by|Suppressed): |^Exception in thread "|^(?:[a-z_$][\w$]*\.)+[A-Z][\w$]*(?:Exception|Error|Throwable)\b/;
/** Patterns of messages that the JVM itself prints when it starts or fails, with their levels. */
const OF_JVM: readonly (readonly [RegExp, ConsoleLevel])[] = [
  [/^(?:Error: |Error occurred during initialization of VM|# A fatal error has been detected)/, 'error'],
  [/ VM warning: /, 'warn'],
];

const levels = new WeakMap<object, ConsoleLevel | null>();

/** Returns the level of a line. Null for an ordinary line. Cached per line. */
export function levelOf(line: { readonly text: string }): ConsoleLevel | null {
  const known = levels.get(line);
  if (known !== undefined) return known;
  const level = findLevel(toPlain(line), ownTime(line) !== null);
  levels.set(line, level);
  return level;
}

function findLevel(plain: string, hasTime: boolean): ConsoleLevel | null {
  if (FRAME.test(plain)) return 'trace';
  if (THROWN.test(plain)) return 'error';
  const head = plain.slice(0, HEAD);
  const stated = LEADING.exec(head) ?? (hasTime ? BEHIND_TIME.exec(head) : null);
  if (stated !== null) return LEVELS[stated[1] ?? stated[2] ?? ''] ?? null;
  return OF_JVM.find(([pattern]) => pattern.test(plain))?.[1] ?? null;
}
