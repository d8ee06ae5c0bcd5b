import { ok } from 'node:assert/strict';
import { StatusAnswer } from '#master/runtime/ping/status-answer.ts';
import { parseStatusText } from '#master/runtime/ping/status-text.ts';
import { decodeLine } from '#master/runtime/log/log-lines.ts';
import { parseJournalEntry } from '#master/runtime/systemd/journal/journal-entry.ts';
import { observeAnswer } from '#master/runtime/systemd/tool-answers.ts';
import { softwareOf } from '#master/templates/jar-info.ts';
import { stallOf } from '#test/support/cpu-time.ts';
import { hostileText } from '../hostile-text.ts';
import { fuzzer, type FuzzTarget } from '../target.ts';
import { serviceSpec } from '#test/support/master/service-spec.ts';
import { statusFrame } from '#test/support/players/wire.ts';

const journal = JSON.stringify({
  __CURSOR: 's=a;i=1;t=2',
  _SYSTEMD_UNIT: 'overworld@lobby-1.service',
  _TRANSPORT: 'stdout',
  MESSAGE: 'Done',
  _PID: '77',
});
const status = JSON.stringify({
  version: { name: 'Paper', protocol: 765 },
  players: { online: 3, max: 20 },
  description: { text: 'a', extra: [{ text: 'b' }] },
});
const observed = JSON.stringify({
  boot: 'b',
  uptime: 9,
  services: [
    {
      id: 'lobby-1',
      recorded: true,
      record: { cluster: 'c', port: 25_565, spec: serviceSpec({ id: 'lobby-1' }) },
      start: { boot: 'b', uptime: 5 },
      exit: null,
      unit: { active: 'active', pid: 77, alive: true },
    },
  ],
});
const manifest =
  'Manifest-Version: 1.0\r\nImplementation-Title: Paper\r\nImplementation-Version: 1\r\n 2\r\n\r\nName: a\r\n';

/** Readers of data that nodes and services send. They must not throw. */
const readers: readonly {
  readonly what: string;
  readonly valid: string;
  readonly read: (text: string) => unknown;
}[] = [
  { what: 'lines of a journal', valid: journal, read: parseJournalEntry },
  { what: 'texts of a status ping', valid: status, read: parseStatusText },
  {
    what: 'frames of a status ping',
    valid: status,
    read: (text) => {
      const answer = new StatusAnswer();
      const bytes = statusFrame(text);
      return [answer.add(bytes.subarray(0, 3)), answer.add(bytes.subarray(3))];
    },
  },
  {
    what: 'states of services',
    valid: observed,
    read: (text) => {
      try {
        return observeAnswer.safeParse(JSON.parse(text));
      } catch (error) {
        if (error instanceof SyntaxError) return null;
        throw error;
      }
    },
  },
  { what: 'manifests of jars', valid: manifest, read: softwareOf },
  { what: 'lines of a log', valid: 'Done (1.2s)!\r', read: (text) => decodeLine(Buffer.from(text)) },
];

/** Targets that fuzz the readers of data that nodes and services send. */
export const answerTargets: readonly FuzzTarget[] = readers.map(({ what, valid, read }) => ({
  name: what,
  runs: { change: 1_000, night: 40_000 },
  msPerRun: 40,
  mostGrowthMb: 300,
  open: () => {
    ok(read(valid) !== null);
    return {
      fuzz: fuzzer(hostileText(valid), (text) => {
        const stallMs = stallOf(() => void read(text));
        ok(stallMs < 100, `reading took ${stallMs.toFixed(0)} ms`);
      }),
    };
  },
}));
