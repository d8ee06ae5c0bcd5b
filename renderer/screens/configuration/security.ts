import type { SecurityGroup, SecurityReport } from '#shared/model/access/security-entry.ts';
import type { Hue } from '../../ui/hue.ts';
import { toCountOf } from '../../view/format/numbers.ts';
import { toExactTime } from '../../view/format/time.ts';

/** Labels of the groups of entries, for the filter. */
export const groupWords: Readonly<Record<SecurityGroup, string>> = {
  logins: 'Logins',
  refusals: 'Requests without the right',
  keys: 'Keys and sessions',
  configuration: 'Configuration and API token',
  templates: 'Templates',
  nodes: 'Nodes',
  master: 'Master and log',
};

/** Returns the result of a verification in words. */
export function toVerified(report: SecurityReport): {
  readonly hue: Hue;
  readonly text: string;
  readonly why: string;
} {
  const [broken] = report.breaks;
  if (broken !== undefined) {
    const others = report.breakCount - 1;
    const more = others === 0 ? '' : ` ${toCountOf(others, 'further place')} broken, too.`;
    return {
      hue: 'bad',
      text: `Chain broken at entry ${broken.seq}`,
      why: `${broken.why} It is line ${broken.line} of ${broken.file}.${more} Do not rely on the log around there.`,
    };
  }
  if (report.last === null) return { hue: 'neutral', text: 'No entries', why: '' };
  return {
    hue: 'ok',
    text: `Chain verified up to entry ${report.last.seq}`,
    why: `${toCountOf(report.entries, 'entry', 'entries')} up to ${toExactTime(report.last.at)}. Hash of the last one: ${report.last.hash}`,
  };
}
