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

/** Everything that jobs use of the app. */
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

/** What a job has to do. Contains secrets: never log or store it. */
export type JobDraft =
  | { readonly kind: 'install'; readonly install: InstallDraft }
  | { readonly kind: 'update'; readonly connection: string; readonly server: ServerDraft }
  | { readonly kind: 'move'; readonly move: MoveDraft };

/** What a job knows about a server after its first contact. */
export interface ServerMemory {
  /** The server's host key that was accepted at first. Another one is refused. */
  hostKey: HostKey | null;
  /** Whether the person has allowed the app in a dialog of the system to log in. */
  loginAllowed: boolean;
}

/** What a job knows after its first run, also if that failed. */
export interface JobMemory {
  server: ServerMemory;
  /** The server that a move leaves. */
  from: ServerMemory;
  /** Ids of the nodes that the old master of a move observed before it was stopped. Null if that is not known. */
  observed: readonly string[] | null;
  /** Version of the master before the job. Undefined until the server was checked. */
  before: string | null | undefined;
}

/** What the steps of a job use to control it. */
export interface JobControl {
  readonly parts: JobParts;
  readonly memory: JobMemory;
  /** Aborted when the job is cancelled; its reason is `Cancelled`. */
  readonly signal: AbortSignal;
  /** Runs a step. An error of the work fails the step and the job. */
  step<T>(name: InstallStepName, work: (step: StepControl) => Promise<T>): Promise<T>;
  /** Changes what the job shows about the server and the master. */
  report(
    change: Partial<
      Pick<
        InstallJob,
        'hostKey' | 'hostKeyOf' | 'problems' | 'masterHostKey' | 'versionBefore' | 'connection'
      >
    >,
  ): void;
  /** Shows what is done after a step has failed, as the detail of that step. */
  note(detail: string): void;
  /** Waits for the person's answer whether the server's host key is right. */
  askTrust(): Promise<boolean>;
  /** Shows that a dialog of the system is open while `work` runs. */
  whileAsking<T>(work: () => Promise<T>): Promise<T>;
}

/** How a step reports what it does. */
export interface StepControl {
  /** The command that runs on the server, without secrets. */
  command(text: string): void;
  /** What the step found or did, in one sentence. */
  detail(text: string): void;
  /** Bytes transferred so far, of all bytes. */
  progress(done: number, total: number): void;
  /** Marks the step as unchanged, because everything was already as the step would make it. */
  unchanged(detail: string): void;
}
