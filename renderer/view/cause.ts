import { durationInWords } from './format/duration.ts';
import { toCountOf } from './format/numbers.ts';

/** A cause in the words of the window: first its meaning, then the rule with its numbers. */
export interface CauseWords {
  readonly text: string;
  /** The rule and its numbers as the master reports them. Null if they add nothing to `text`. */
  readonly rule: string | null;
}

interface Pattern {
  readonly rule: RegExp;
  readonly toText: (...numbers: readonly string[]) => string;
}

const percentOf = (what: string) => (percent: string) => `${percent} % of ${what}`;

/**
 * Patterns of the causes that the rules of `master/core` report, matched against their first clause. Other causes
 * are shown unchanged.
 */
const patterns: readonly Pattern[] = [
  {
    rule: /^minimumRunningServers is (\d+); it is no longer needed$/,
    toText: (minimum) => `No longer needed: ${keeps(minimum).toLowerCase()} without it`,
  },
  { rule: /^minimumRunningServers is (\d+)(?:;|$)/, toText: keeps },
  {
    rule: /^startNewServiceAtGlobalCapacity: .*, (\d+) % ≥ \d+ %(?:;|$)/,
    toText: (percent) => `${percentOf('the network’s player limit')(percent)} is reached`,
  },
  {
    rule: /^startNewServiceAtTemplateCapacity: .*, (\d+) % ≥ \d+ %(?:;|$)/,
    toText: (percent) => `${percentOf('the template’s player slots')(percent)} are taken`,
  },
  {
    rule: /^maximumOnlineServers is (\d+)$/,
    toText: (maximum = '0') => `More than the maximum of ${toCountOf(Number(maximum), 'service')}`,
  },
  {
    rule: /^unused for (\d+) s \(killUnusedTooManyServersAfter is \d+ ms\)/,
    toText: (seconds = '0') => `Empty for ${durationInWords(Number(seconds) * 1000)} and not needed`,
  },
  {
    rule: /^\d+ of \d+ MB allocated, (\d+) % ≥ \d+ % \(upscaling_at_percent_capacity\)/,
    toText: (percent) => `${percentOf('the RAM of all nodes')(percent)} is allocated`,
  },
  {
    rule: /^priority \d+; takes \d+ of \d+ MB free on (\S+)$/,
    toText: (node = '') => `${node} has room for it`,
  },
];

function keeps(minimum = '0'): string {
  return `Keeps ${toCountOf(Number(minimum), 'empty service')} ready`;
}

/**
 * Converts a cause to words.
 *
 * Example: `minimumRunningServers is 1; 0 ready, 0 starting` becomes `Keeps 1 empty service ready`.
 */
export function toCauseWords(cause: string): CauseWords {
  for (const { rule, toText } of patterns) {
    const found = rule.exec(cause);
    if (found !== null) return { text: toText(...found.slice(1)), rule: cause };
  }
  return { text: cause, rule: null };
}
