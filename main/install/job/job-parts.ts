import type {
  InstallDraft,
  InstallJob,
  InstallStepName,
  MoveDraft,
  ServerDraft,
} from '#shared/ipc/contract.ts';
import type { AppIdentity } from '../../vault/identity.ts';
import type { Ask } from '../../window/ask.ts';
import type { PackageSource } from '../package/find-package.ts';
import type { HostKey } from '../server/host-key.ts';
import type { KnownHostKeys, ServerAddress } from '../server/known-hosts.ts';
import type { LoginSources } from '../server/login.ts';
import type { KnownMasters } from '../known-masters.ts';

/** The parts of the app that jobs use. */
export interface JobParts {
  /** Version of the app, and of the master in its packages (semver). */
  readonly version: string;
  readonly identity: AppIdentity;
  /** Name of the app's key on a new master, such as `anna@laptop`. */
  readonly ownerName: string;
  readonly packages: PackageSource;
  readonly logins: LoginSources;
  /** Returns the host keys that OpenSSH knows on this computer. */
  knownHostKeys(address: ServerAddress): Promise<KnownHostKeys>;
  readonly masters: KnownMasters;
  /** Asks the person in a dialog of the system over the window. */
  readonly ask: Ask;
}

/** What a job has to do. Contains secrets, so never log or store it. */
export type JobDraft =
  | { readonly kind: 'install'; readonly install: InstallDraft }
  | { readonly kind: 'update'; readonly connection: string; readonly server: ServerDraft }
  | { readonly kind: 'move'; readonly move: MoveDraft };

/** What a job knows about a server once it has contacted the server. */
export interface ServerMemory {
  /** The host key that was accepted at the first contact. The job refuses any other key. */
  hostKey: HostKey | null;
  /** Whether the person has allowed the app in a dialog of the system to log in. */
  loginAllowed: boolean;
}

/** What a job remembers for its next run. Kept even if a run fails. */
export interface JobMemory {
  server: ServerMemory;
  /** The server that a move leaves. */
  from: ServerMemory;
  /** Ids of the nodes that the old master of a move observed before it was stopped. Null if they are not known. */
  observed: readonly string[] | null;
  /** Version of the master before the job. Undefined until the server was checked. */
  before: string | null | undefined;
}

/** The functions with which the steps of a job report, ask and stop. */
export interface JobControl {
  readonly parts: JobParts;
  readonly memory: JobMemory;
  /** Aborted when the job is cancelled; its reason is `Cancelled`. */
  readonly signal: AbortSignal;
  /** Runs a step. If `work` throws, the step and the job fail. */
  step<T>(name: InstallStepName, work: (step: StepControl) => Promise<T>): Promise<T>;
  /** Changes the facts about the server and the master that the job shows. */
  report(
    change: Partial<
      Pick<
        InstallJob,
        'hostKey' | 'hostKeyOf' | 'problems' | 'masterHostKey' | 'versionBefore' | 'connection'
      >
    >,
  ): void;
  /** Sets the detail of a failed step, to show what the job does after the failure. */
  note(detail: string): void;
  /** Waits until a person has answered whether the server's host key is right. Resolves to the answer. */
  askTrust(): Promise<boolean>;
  /** Shows that a dialog of the system is open while `work` runs. */
  whileAsking<T>(work: () => Promise<T>): Promise<T>;
}

/** The functions with which a step reports its progress. */
export interface StepControl {
  /** Shows the command that runs on the server. It must contain no secrets. */
  command(text: string): void;
  /** Shows in one sentence what the step found or did. */
  detail(text: string): void;
  /** Shows the number of bytes transferred so far, and the total number. */
  progress(done: number, total: number): void;
  /** Marks the step as unchanged, because there was nothing to do. */
  unchanged(detail: string): void;
}
