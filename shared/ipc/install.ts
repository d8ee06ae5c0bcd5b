import { z } from 'zod';
import { wireErrorSchema } from '../errors/wire.ts';
import { channel, done, nothing } from './channel.ts';
import { connectionDraftSchema } from './connections.ts';

/** How the app logs in to a server. Secrets are used for one run and never stored. */
export const serverLoginSchema = z.discriminatedUnion('kind', [
  /** Uses the keys of the SSH agent of this computer. */
  z.strictObject({ kind: z.literal('agent') }),
  /** Uses a private key. The main process accepts only paths that it has listed or that its dialog returned. */
  z.strictObject({
    kind: z.literal('keyFile'),
    path: z.string().min(1).max(4096),
    passphrase: z.string().max(1024).optional(),
  }),
  z.strictObject({ kind: z.literal('password'), password: z.string().min(1).max(1024) }),
]);
export type ServerLogin = z.infer<typeof serverLoginSchema>;

/** A server and the login to it, as a person enters them. */
export const serverDraftSchema = z.strictObject({
  host: connectionDraftSchema.shape.host,
  /** Port of the server's own SSH daemon, not of the master. */
  port: connectionDraftSchema.shape.port,
  /** `root`, or a user who may use sudo. */
  user: z
    .string()
    .trim()
    .regex(/^[a-z_][a-z0-9_-]{0,31}\$?$/),
  login: serverLoginSchema,
  /** Password for sudo. Absent if the user is root, or if sudo asks for no password. */
  sudoPassword: z.string().max(1024).optional(),
});
export type ServerDraft = z.infer<typeof serverDraftSchema>;

/** A server and the login that was last used for it, without secrets. */
export const rememberedServerSchema = serverDraftSchema.pick({ host: true, port: true, user: true }).extend({
  login: z.discriminatedUnion('kind', [
    z.strictObject({ kind: z.literal('agent') }),
    z.strictObject({ kind: z.literal('keyFile'), path: z.string().min(1).max(4096) }),
    z.strictObject({ kind: z.literal('password') }),
  ]),
});
export type RememberedServer = z.infer<typeof rememberedServerSchema>;

/** Settings of an installation, as a person enters them. */
export const installDraftSchema = z.strictObject({
  server: serverDraftSchema,
  /** Name of the new connection. */
  name: connectionDraftSchema.shape.name,
  /**
   * Port of the master's SSH server. Ports below 1024 are not possible, because the master's unit has no right to use
   * them.
   */
  masterPort: connectionDraftSchema.shape.port.min(1024),
  /**
   * Address at which cloud nodes can reach the server (`communication.hostname`). Null stands for the server's host.
   */
  hostname: connectionDraftSchema.shape.host.nullable(),
  /** Whether to install HAProxy and give the master the right to write its configuration and to reload it. */
  haproxy: z.boolean(),
  /** Whether to open the ports of the master in ufw or nftables, if one of them is active. */
  openPorts: z.boolean(),
  /** Whether the server also runs services. If so, the master gets root rights on the server, as on cloud nodes. */
  services: z.boolean(),
});
export type InstallDraft = z.infer<typeof installDraftSchema>;

/** The move of a master to another server, as a person enters it. */
export const moveDraftSchema = z.strictObject({
  /** Id of the connection to the master. After the move, the connection leads to the new server. */
  connection: z.string().min(1).max(64),
  /** The server on which the master runs now. */
  from: serverDraftSchema,
  /** The server to which the master moves. */
  server: serverDraftSchema,
  hostname: installDraftSchema.shape.hostname,
  haproxy: installDraftSchema.shape.haproxy,
  openPorts: installDraftSchema.shape.openPorts,
});
export type MoveDraft = z.infer<typeof moveDraftSchema>;

/** Steps of all jobs, in the order in which they run. {@link installStepsOf} returns the steps of one kind of job. */
export const installStepNames = [
  /** Only in a move: connects to the old server, and checks whether the master there can be moved. */
  'leave',
  'connect',
  'check',
  'package',
  'upload',
  'install',
  /** Only in a move: copies the data while the old master keeps making decisions. */
  'copy',
  /** Only in a move: stops the old master for good, and copies what has changed since `copy`. */
  'handOver',
  'configure',
  /** Starts the master. In an update, restarts it. */
  'start',
  /** Only in an installation on a server that also runs services: installs Java, and gives the master access. */
  'services',
  'reach',
] as const;
export type InstallStepName = (typeof installStepNames)[number];

const moveSteps: readonly InstallStepName[] = ['leave', 'copy', 'handOver'];

/**
 * Returns the steps of a kind of job, in the order in which they run.
 *
 * @param withServices whether the server is set up to run services as well
 */
export function installStepsOf(kind: InstallJob['kind'], withServices = false): InstallStepName[] {
  const names = installStepNames.filter((name) => withServices || name !== 'services');
  if (kind === 'move') return names;
  return names.filter((name) => !moveSteps.includes(name) && (kind === 'install' || name !== 'configure'));
}

/** State and result of one step. */
export const installStepSchema = z.strictObject({
  name: z.enum(installStepNames),
  /** `unchanged`: the step found nothing to change. */
  status: z.enum(['waiting', 'running', 'done', 'unchanged', 'failed']),
  /**
   * The exact command on the server, without secrets. Null if the step runs no command, or while the command is not
   * known yet.
   */
  command: z.string().nullable(),
  /** What the step found or did, in one sentence. Null if there is nothing to say yet. */
  detail: z.string().nullable(),
  /** Transferred bytes and total bytes. Null for steps that transfer nothing. */
  progress: z.strictObject({ done: z.int(), total: z.int() }).nullable(),
  /** Time at which the step began (ms since epoch). Null if it has not begun. */
  startedAt: z.int().nullable(),
  /** Duration (ms). Null until the step has ended. */
  ms: z.int().nullable(),
});
export type InstallStep = z.infer<typeof installStepSchema>;

/** A fact about the server that a person should know. A problem of severity `error` ends the job. */
export const serverProblemSchema = z.strictObject({
  severity: z.enum(['error', 'warning']),
  /** What is wrong, and what to do about it. */
  text: z.string(),
});
export type ServerProblem = z.infer<typeof serverProblemSchema>;

/** Installation, update or move of a master, from its start until a person closes it. */
export const installJobSchema = z.strictObject({
  id: z.string(),
  kind: z.enum(['install', 'update', 'move']),
  /** `user@host:port` of the server. In a move, this is the new server. */
  address: z.string(),
  /** `user@host:port` of the old server in a move. Null for other jobs. */
  from: z.string().nullable(),
  /**
   * `asking`: the job waits for a person, see `question`. `failed` and `cancelled` jobs can be continued by
   * `install.resume`.
   */
  status: z.enum(['running', 'asking', 'failed', 'cancelled', 'done']),
  /**
   * What the job waits for while it is `asking`; null otherwise. `trust`: a person has to compare `hostKey` in the
   * window and answer with `install.answer`. `login`: a dialog of the system asks whether the app may log in.
   */
  question: z.enum(['trust', 'login']).nullable(),
  /** Fingerprint of the host key of the server at `hostKeyOf`. Null until it is known. */
  hostKey: z.string().nullable(),
  /** The server that the job connects to: `address`, or `from` during the step `leave`. */
  hostKeyOf: z.string(),
  steps: z.array(installStepSchema),
  /** Problems that were found on the server. Empty until the server was checked. */
  problems: z.array(serverProblemSchema),
  /** Why the job failed. Null otherwise. */
  error: wireErrorSchema.nullable(),
  /** Id of the connection to the master. Null until the master was reached. */
  connection: z.string().nullable(),
  /** Fingerprint of the new master's host key, read on the server itself. Null until it is known. */
  masterHostKey: z.string().nullable(),
  /**
   * Version of the master that the server had before the job. Null if there was no master, or while the version is
   * not known yet.
   */
  versionBefore: z.string().nullable(),
  /** Version of the master in the package. */
  version: z.string(),
});
export type InstallJob = z.infer<typeof installJobSchema>;

/** A private key on this computer. */
export const keyFileSchema = z.strictObject({
  path: z.string(),
  /** Whether a passphrase is needed to use it. */
  encrypted: z.boolean(),
});
export type KeyFile = z.infer<typeof keyFileSchema>;

const jobIdSchema = z.strictObject({ id: z.string().min(1).max(64) });

/** Requests about the installation, update and move of masters. There is at most one job at a time. */
export const installRequests = {
  /** The current job, or null. The push `install` reports each change. */
  'install.job': channel(nothing, installJobSchema.nullable()),
  /**
   * Returns the ways to log in that this computer offers: private keys in the usual folder, and whether an agent
   * runs.
   */
  'install.logins': channel(
    nothing,
    z.strictObject({ agent: z.boolean(), keyFiles: z.array(keyFileSchema) }),
  ),
  /** Opens the system's dialog for a private key. Null if the person cancels the dialog. */
  'install.pickKeyFile': channel(nothing, keyFileSchema.nullable()),
  /**
   * Returns terminal commands with the same effect as the installation, for a person who does not want to give the
   * app a login. The commands contain no secrets.
   */
  'install.commands': channel(installDraftSchema, z.strictObject({ lines: z.array(z.string()) })),
  /** Starts an installation. Fails with INSTALL_RUNNING while another job runs. */
  'install.start': channel(installDraftSchema, installJobSchema),
  /**
   * Starts an update of a master to the version of this app. If the new version does not serve, the previous version
   * is installed again. Fails with INSTALL_RUNNING while another job runs.
   */
  'install.update': channel(
    z.strictObject({ connection: z.string().min(1).max(64), server: serverDraftSchema }),
    installJobSchema,
  ),
  /**
   * Starts the move of a master to another server. If the new master does not serve, the old master is started again.
   * Fails with INSTALL_RUNNING while another job runs.
   */
  'install.move': channel(moveDraftSchema, installJobSchema),
  /**
   * Returns the server and login with which the master of a connection was last installed or updated. Null if there
   * is none.
   */
  'install.server': channel(
    z.strictObject({ connection: z.string().min(1).max(64) }),
    rememberedServerSchema.nullable(),
  ),
  /**
   * Answers the question about the server's host key. If the person declines the key, the job is cancelled. If the
   * person trusts it, a dialog of the system shows the key once more, because the window is not trusted with this
   * decision. Declining the key in that dialog also cancels the job.
   */
  'install.answer': channel(jobIdSchema.extend({ trust: z.boolean() }), done),
  /**
   * Continues a failed or cancelled job. Completed steps are checked and skipped. A new login replaces the old login,
   * and may name another server if the old address was mistyped. `from` is the login to the old server of a move.
   * Fails with INSTALL_JOB_UNKNOWN.
   */
  'install.resume': channel(
    jobIdSchema.extend({ login: serverDraftSchema.optional(), from: serverDraftSchema.optional() }),
    done,
  ),
  /**
   * Cancels a running job and ends its command on the server. A running dpkg is not interrupted: the job stays
   * `running` until dpkg ends.
   */
  'install.cancel': channel(jobIdSchema, done),
  /** Removes a job that is not running. */
  'install.close': channel(jobIdSchema, done),
} as const;
