/**
 * Part of a probe (probe.ts) that runs inside the measured master. Measures the delay of the event loop. On a Unix
 * socket, answers one question per connection: `reset`, `read` or `collect`.
 */
import { unlinkSync } from 'node:fs';
import { createServer } from 'node:net';
import { createHistogram } from 'node:perf_hooks';
import { collectGarbage } from '../../../support/collect-garbage.mjs';

/** Time between two checks of the event loop (ms). */
const CHECK_EVERY_MS = 5;

const path = process.env['OVERWORLD_BENCH_PROBE'] ?? '';
// Do not load the probe into programs that the master starts.
delete process.env['OVERWORLD_BENCH_PROBE'];
delete process.env['NODE_OPTIONS'];

/** Time for which code had to wait for the event loop (µs). */
const waited = createHistogram();
/**
 * Part of this waiting time in which this process used the CPU (µs), so that other programs on the machine do not
 * count.
 */
const computed = createHistogram();
let at = performance.now();
let used = process.cpuUsage();

/**
 * Records a delay as observers who arrive at regular intervals would see it: an observer who arrives in the middle of
 * the delay waits for the rest of it. With only one record per delay, a delay of a second would count no more than a
 * delay of a millisecond.
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
