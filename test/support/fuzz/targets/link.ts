import { ok } from 'node:assert/strict';
import fc from 'fast-check';
import { MAX_PLUGIN_LINE_BYTES, pluginMessageSchema } from '#shared/link/messages.ts';
import { LineSplitter } from '#shared/node/line-splitter.ts';
import { parseLine } from '#master/link/server/parse-line.ts';
import { stallOf } from '#test/support/cpu-time.ts';
import { hostileText } from '../hostile-text.ts';
import { fuzzer, type FuzzTarget } from '../target.ts';

const uuid = '069a79f4-44e9-4726-a5be-fca90e38aaf5';
const player = { uuid, name: 'Notch', server: 'lobby-1', since: 1 };

const valid = [
  {
    type: 'hello',
    version: 1,
    service: 'lobby-1',
    token: 't',
    platform: 'bukkit',
    software: 's',
    plugin: 'p',
    allowance: 0,
  },
  { type: 'players', players: [player, player], done: true },
  { type: 'joined', player, beyond: false },
  { type: 'switched', uuid, server: null },
  { type: 'allowance', seq: 1, allowance: 3, used: 2 },
  { type: 'in-use', inUse: true, why: 'a game' },
  { type: 'stop-service', id: 1, service: 'lobby-1', by: 'Notch' },
  { type: 'later', more: 1 },
].map((message) => JSON.stringify(message));

/** Checks that each line of a hostile plugin is parsed as a valid message, recognized as a newer type, or refused. */
export const linkLines: FuzzTarget = {
  name: 'lines of the plugin link',
  runs: { change: 3_000, night: 1_000_000 },
  msPerRun: 40,
  mostGrowthMb: 300,
  open: () => ({
    fuzz: fuzzer(hostileText(...valid), (text) => {
      const line = Buffer.from(text).subarray(0, MAX_PLUGIN_LINE_BYTES);
      const stallMs = stallOf(() => void parseLine(line));
      ok(stallMs < 100, `reading took ${stallMs.toFixed(0)} ms`);
      const message = parseLine(line);
      if (message !== null && message !== 'newer') ok(pluginMessageSchema.safeParse(message).success);
    }),
  }),
};

const MAX_LINE_BYTES = 100;

/** Checks that lines use no more memory than permitted, in whatever chunks they arrive. */
export const linkChunks: FuzzTarget = {
  name: 'chunks of the plugin link',
  runs: { change: 1_000, night: 100_000 },
  msPerRun: 40,
  mostGrowthMb: 300,
  open: () => ({
    fuzz: fuzzer(fc.array(fc.uint8Array({ maxLength: 60 }), { maxLength: 30 }), (chunks) => {
      const splitter = new LineSplitter(MAX_LINE_BYTES);
      let isOpen = true;
      for (const chunk of chunks) {
        if (isOpen) splitter.add(Buffer.from(chunk));
        for (let line = splitter.next(); isOpen && line !== null; line = splitter.next()) {
          if (line === 'too-long') isOpen = false;
          else ok(line.length <= MAX_LINE_BYTES, `a line has ${line.length} bytes`);
        }
      }
    }),
  }),
};
