import { hasSftpServer } from '#test/support/files/openssh-sftp-server.ts';
import { answerTargets } from '#test/support/fuzz/targets/answers.ts';
import { editorTargets } from '#test/support/fuzz/targets/editors.ts';
import { linkChunks, linkLines } from '#test/support/fuzz/targets/link.ts';
import { rpcMessages, rpcRequests } from '#test/support/fuzz/targets/rpc.ts';
import { sftpMalformed } from '#test/support/fuzz/targets/sftp-malformed.ts';
import { sftpSessions } from '#test/support/fuzz/targets/sftp-sessions.ts';
import { sshPort } from '#test/support/fuzz/targets/ssh-port.ts';
import { runFuzz, type FuzzTarget } from '#test/support/fuzz/target.ts';
import { nightly } from '#test/lab/kit/nightly.ts';
import type { Benchmark } from '../kit/benchmark.ts';
import type { Outcome } from '../kit/measurement.ts';

/** Time for all targets of one metric, except in the nightly run (s). */
const SECONDS = 15;
const QUICK_SECONDS = 2;

/** Targets of each metric. They are the same targets as in the tests. */
const groups: Readonly<
  Record<string, { readonly targets: readonly FuzzTarget[]; readonly whyNot?: string }>
> = {
  'fuzz-sftp': {
    targets: [sftpSessions],
    ...(hasSftpServer ? {} : { whyNot: "OpenSSH's sftp-server is not installed" }),
  },
  'fuzz-sftp-malformed': { targets: [sftpMalformed] },
  'fuzz-ssh': {
    targets: [sshPort],
    ...(process.platform === 'linux'
      ? {}
      : { whyNot: 'only on Linux has everybody all addresses of 127.0.0.0/8' }),
  },
  'fuzz-rpc': { targets: [rpcMessages, rpcRequests] },
  'fuzz-link': { targets: [linkLines, linkChunks] },
  'fuzz-answers': { targets: answerTargets },
  'fuzz-editors': { targets: editorTargets },
};

/**
 * Fuzzes all readers of hostile input, and measures the number of inputs per second. In the nightly run
 * (`OVERWORLD_NIGHTLY=1`), uses the same number of runs as the nightly tests, otherwise a short time. If a check
 * fails, the measurement ends with an error that contains the input.
 */
export const fuzz: readonly Benchmark[] = Object.entries(groups).map(([metric, { targets, whyNot }]) => ({
  metrics: [metric],
  async run({ quick, say }): Promise<readonly Outcome[]> {
    if (whyNot !== undefined) return [{ metric, skipped: whyNot }];
    const seconds = (quick ? QUICK_SECONDS : SECONDS) / targets.length;
    let [inputs, took] = [0, 0];
    const each: string[] = [];
    for (const target of targets) {
      say(target.name);
      const result = await runFuzz(target, nightly ? { runs: target.runs.night } : { seconds });
      inputs += result.inputs;
      took += result.seconds;
      each.push(`${result.inputs} ${target.name} (memory ${result.grownMb.toFixed(0)} MB)`);
    }
    return [
      {
        ...{ metric, value: inputs / took, unit: '1/s', baseline: null, n: inputs, goal: null },
        note: `inputs per second; none of them found a fault: ${each.join(', ')}`,
      },
    ];
  },
}));
