import { join } from 'node:path';
import type { ServerDraft } from '#shared/ipc/contract.ts';
import { InstallationJob } from '#main/install/job/job.ts';
import type { JobDraft, JobParts } from '#main/install/job/job-parts.ts';
import type { KnownMasters } from '#main/install/known-masters.ts';
import { KeyFiles } from '#main/install/server/key-files.ts';
import { readKnownHosts } from '#main/install/server/known-hosts.ts';
import type { DialogQuestion } from '#main/window/ask.ts';
import type { InstallDraft, InstallJob } from '#shared/ipc/contract.ts';
import { toIdentity } from '../identity.ts';
import { makePerson } from '../master/admin-master.ts';
import { temporaryFolder } from '../temporary-folder.ts';
import { waitFor } from '../wait-for.ts';

/** Job with a simulated person. The job uses its own SSH folder instead of that of the real user. */
export interface JobFixture {
  readonly job: InstallationJob;
  /** All states so far, oldest first. */
  readonly states: readonly InstallJob[];
  /** Questions of the system's dialogs so far. */
  readonly asked: readonly DialogQuestion[];
  /** Whether the person confirms dialogs of the system. */
  readonly person: { confirms: boolean };
  /** Waits until the job has one of these states, and returns it. */
  until(...states: InstallJob['status'][]): Promise<InstallJob>;
  /** Waits until the job has ended. Until then, confirms the host key each time the job asks. */
  untilEnded(): Promise<InstallJob>;
}

type FixtureOptions = Partial<JobParts> & {
  /** Folder of the person's SSH files. */
  readonly sshFolder?: string;
};

/** Parts of a job, and the questions and answers of a simulated person. */
export type TestParts = JobParts & {
  readonly asked: DialogQuestion[];
  /** Whether the person confirms dialogs of the system. */
  confirms: boolean;
};

/** Creates parts of a job. On this computer, the job reads only the given SSH folder. */
export function jobParts({ sshFolder = temporaryFolder(), ...others }: FixtureOptions = {}): TestParts {
  const masters: Pick<KnownMasters, 'hostKeysOf'> = { hostKeysOf: () => [] };
  const parts: TestParts = {
    ...{ asked: [], confirms: true, version: '0.2.0', ownerName: 'anna@laptop' },
    identity: toIdentity(makePerson('app')),
    packages: { folder: join(sshFolder, 'packages'), build: null },
    logins: {
      keyFiles: new KeyFiles({ folder: sshFolder, remembered: () => [] }),
      agent: () => Promise.resolve(null),
    },
    knownHostKeys: (address) => readKnownHosts(address, [join(sshFolder, 'known_hosts')]),
    // Jobs that end at the step `check` use only `hostKeysOf`.
    masters: masters as KnownMasters,
    ask: (question) => {
      parts.asked.push(question);
      return Promise.resolve({ confirmed: parts.confirms, remember: false });
    },
    ...others,
  };
  return parts;
}

/** Returns the draft of an installation on a server. */
export function installDraft(server: ServerDraft, changes: Partial<InstallDraft> = {}): JobDraft {
  const install: InstallDraft = {
    ...{ server, name: 'Production', masterPort: 2022, hostname: null, haproxy: false, openPorts: false },
    services: false,
    ...changes,
  };
  return { kind: 'install', install };
}

/** Creates a job, which the test starts. */
export function openJob(draft: JobDraft, parts: TestParts): JobFixture {
  const states: InstallJob[] = [];
  const job = new InstallationJob(draft, { parts, onChange: (state) => states.push(state) });
  const until: JobFixture['until'] = (...wanted) =>
    waitFor(() => (wanted.includes(job.state.status) ? job.state : null), {
      what: `the job to be ${wanted.join(' or ')}`,
      timeoutMs: 600_000,
    });
  return {
    ...{ job, states, asked: parts.asked, person: parts, until },
    untilEnded: async () => {
      for (;;) {
        const state = await until('asking', 'failed', 'cancelled', 'done');
        if (state.status !== 'asking') return state;
        job.answer(true);
        await new Promise((resolve) => setImmediate(resolve));
      }
    },
  };
}
