/**
 * Part of a probe that runs inside the measured master (probe.ts). Measures the delay of the event loop, and answers one
 * question per connection on a Unix socket: `reset`, `read` or `collect`.
 */
import { unlinkSync } from 'node:fs';
import { createServer } from 'node:net';
import { createHistogram } from 'node:perf_hooks';
import { collectGarbage } from '../../../support/collect-garbage.mjs';

/** Time between two checks of the event loop (ms). */
const CHECK_EVERY_MS = 5;

const path = process.env['OVERWORLD_BENCH_PROBE'] ?? '';
// The programs that the master starts are not measured.
delete process.env['OVERWORLD_BENCH_PROBE'];
delete process.env['NODE_OPTIONS'];

/** Time that something had to wait for the event loop (µs). */
const waited = createHistogram();
/** The part of it for which this process computed (µs): other programs on the machine do not count. */
const computed = createHistogram();
let at = performance.now();
let used = process.cpuUsage();

/**
 * Records a delay as an observer at any moment would see it: who comes in the middle of it waits for the rest. Without
 * that, a block of a second would count as little as one of a millisecond.
 *
 * @param {import('node:perf_hooks').RecordableHistogram} histogram
 * @param {number} ms
 */
function record(histogram, ms) {
  for (let rest = ms; rest > 0; rest -= CHECK_EVERY_MS)
    histogram.record(Math.max(1, Math.round(rest * 1000)));
  if (ms <= 0) histogram.record(1);
}

setInterval(() => {
  const { user, system } = process.cpuUsage(used);
  const delay = performance.now() - at - CHECK_EVERY_MS;
  record(waited, delay);
  record(computed, Math.min(delay, (user + system) / 1000));
  at = performance.now();
  used = process.cpuUsage();
}, CHECK_EVERY_MS).unref();

/** @param {import('node:perf_hooks').RecordableHistogram} histogram */
function delaysIn(histogram) {
  return { p99Ms: histogram.percentile(99) / 1000, longestMs: histogram.max / 1000 };
}

/** @type {Readonly<Record<string, () => unknown>>} */
const answers = {
  reset: () => {
    waited.reset();
    computed.reset();
    return {};
  },
  read: () => ({ waited: delaysIn(waited), computed: delaysIn(computed) }),
  collect: () => {
    collectGarbage();
    const { rss, heapUsed, external, arrayBuffers } = process.memoryUsage();
    return { rss, heapUsed, external, arrayBuffers };
  },
};

const server = createServer((socket) => {
  socket.on('error', () => socket.destroy());
  socket.once('data', (question) => socket.end(JSON.stringify(answers[String(question).trim()]?.() ?? null)));
});
server.listen(path).unref();
process.once('exit', () => unlinkSync(path));
