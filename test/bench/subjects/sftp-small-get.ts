import { existsSync } from 'node:fs';
import { cp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { makePerson } from '#test/support/master/admin-master.ts';
import { inPath } from '../../../build/scripts/set-up/system-packages.mjs';
import type { Benchmark, BenchContext } from '../kit/benchmark.ts';
import { secondsOf } from '../kit/clock.ts';
import { interleave } from '../kit/interleave.ts';
import type { Outcome } from '../kit/measurement.ts';
import { startOurSftp, TMPFS } from '../kit/sftp/our-sftp.ts';
import { hasSshd, startSshd } from '../kit/sftp/private-sshd.ts';
import { runProgram } from '../kit/sftp/programs.ts';
import type { SftpServer } from '../kit/sftp/sftp-client.ts';
import { sshOptions, writeLogin, type SftpLogin } from '../kit/sftp/sftp-login.ts';
import { countSmallFiles, smallFilesNote, writeSmallFiles } from '../kit/sftp/small-files.ts';
import { median, spread } from '../kit/statistics.ts';

/** Name of the folder with the small files on both servers. */
const SOURCE = 'small-files';

/** Third-party client with default settings that downloads a folder. */
interface Downloader {
  readonly metric: string;
  readonly program: string;
  readonly how: string;
  readonly get: (server: SftpServer, login: SftpLogin, target: string) => Promise<unknown>;
}

const downloaders: readonly Downloader[] = [
  {
    metric: 'sftp-get-5000',
    program: 'sftp',
    how: "OpenSSH's sftp (get -r)",
    get: async (server, login, target) => {
      const options = sshOptions(login, await login.knownHosts(server));
      const args = ['-q', '-P', String(server.port), ...options, '-b', '-', `${server.user}@127.0.0.1`];
      return runProgram('sftp', args, { input: `get -r ${server.folder}/${SOURCE} ${target}\n` });
    },
  },
  {
    metric: 'sftp-rclone',
    program: 'rclone',
    how: 'rclone copy, 4 transfers at a time, sizes compared, no checksums by a shell',
    get: async (server, login, target) =>
      runProgram('rclone', ['copy', '-q', `server:${server.folder}/${SOURCE}`, target], {
        env: {
          RCLONE_CONFIG: '/dev/null',
          RCLONE_CONFIG_SERVER_TYPE: 'sftp',
          RCLONE_CONFIG_SERVER_HOST: '127.0.0.1',
          RCLONE_CONFIG_SERVER_PORT: String(server.port),
          RCLONE_CONFIG_SERVER_USER: server.user,
          RCLONE_CONFIG_SERVER_KEY_FILE: login.key,
          RCLONE_CONFIG_SERVER_KNOWN_HOSTS_FILE: await login.knownHosts(server),
          // The master has no shell. So the client must not use a shell on OpenSSH's server either.
          RCLONE_CONFIG_SERVER_SHELL_TYPE: 'none',
          RCLONE_CONFIG_SERVER_DISABLE_HASHCHECK: 'true',
        },
      }),
  },
  {
    metric: 'sftp-lftp',
    program: 'lftp',
    how: 'lftp mirror',
    get: async (server, login, target) => {
      const ssh = ['ssh', '-a', '-x', ...sshOptions(login, await login.knownHosts(server))].join(' ');
      const script = [
        'set cmd:fail-exit yes',
        'set net:max-retries 1',
        `set sftp:connect-program "${ssh}"`,
        `open -u ${server.user},unused -p ${server.port} sftp://127.0.0.1`,
        `mirror ${server.folder}/${SOURCE} ${target}`,
      ];
      return runProgram('lftp', ['--norc', '-c', script.join('\n')]);
    },
  },
];

/**
 * Measures the time in which third-party clients download a folder with many small files from the master. The
 * baseline is OpenSSH's server.
 */
export const sftpSmallGet: Benchmark = {
  metrics: downloaders.map(({ metric }) => metric),
  async run(context) {
    const why = whyNot();
    if (why !== null) return downloaders.map(({ metric }) => ({ metric, skipped: why }));
    const files = context.quick ? 500 : 5_000;
    const person = makePerson('bench');
    const folder = await context.scope.folder(TMPFS);
    const servers = {
      ours: await startOurSftp(context, person.publicKey),
      baseline: await startSshd(context.scope, { publicKey: person.publicKey, folder }),
    };
    const login = await writeLogin(context.scope, person.privateKey);
    await writeSmallFiles(join(servers.baseline.disk, SOURCE), files);
    await cp(join(servers.baseline.disk, SOURCE), join(servers.ours.disk, SOURCE), { recursive: true });
    const outcomes: Outcome[] = [];
    for (const downloader of downloaders) {
      outcomes.push(await measure(downloader, { context, servers, login, files, folder }));
    }
    return outcomes;
  },
};

interface Setting {
  readonly context: BenchContext;
  readonly servers: { readonly ours: SftpServer; readonly baseline: SftpServer };
  readonly login: SftpLogin;
  readonly files: number;
  /** Local folder to download to. */
  readonly folder: string;
}

async function measure(
  { metric, program, how, get }: Downloader,
  { context, servers, login, files, folder }: Setting,
): Promise<Outcome> {
  if (!inPath(program)) return { metric, skipped: `${program} is not installed` };
  const n = context.quick ? 1 : 5;
  const target = join(folder, 'downloaded');
  const download = async (server: SftpServer): Promise<number> => {
    const seconds = await secondsOf(() => get(server, login, target));
    const arrived = await countSmallFiles(target);
    if (arrived !== files) throw new Error(`${arrived} of ${files} files arrived`);
    await rm(target, { recursive: true });
    return seconds;
  };
  context.say(`${n} downloads of ${files} files each way by ${program}`);
  const { ours, baseline } = await interleave(n, {
    ours: () => download(servers.ours),
    baseline: () => download(servers.baseline),
  });
  return {
    metric,
    value: median(ours),
    unit: 's',
    baseline: median(baseline),
    n,
    note: `${smallFilesNote(files)}, by ${how}, from the master (${spread(ours)}), beside the same from OpenSSH's sshd (${spread(baseline)}); both with connecting`,
    goal: { of: 'ratio', atMost: 1.1 },
  };
}

function whyNot(): string | null {
  if (!hasSshd()) return "OpenSSH's server is not installed (Debian package openssh-server)";
  return existsSync(TMPFS) ? null : `there is no ${TMPFS} to keep the files in RAM`;
}
