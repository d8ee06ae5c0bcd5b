/**
 * Maximum time until a started master answers on its local socket and serves its SSH port (ms). With many templates,
 * the start takes several seconds.
 */
export const SERVE_WITHIN_MS = 60_000;

/**
 * Maximum time until a started master has observed its nodes (ms). The startup gate itself waits up to 120 s for
 * nodes that do not answer (master/control/loop/startup-gate.ts).
 */
export const SYNC_WITHIN_MS = 180_000;

/**
 * Time for which a master must keep serving before it counts as good (ms). A master that crashes at each start exits
 * earlier.
 */
export const STEADY_MS = 3_000;

/** Number of times that systemd may restart a failing master. A first failure may be a coincidence. */
const MAX_RESTARTS = 1;

/** An observation of a master that was started. */
export interface MasterObservation {
  /** Time since the master was started (ms). */
  readonly elapsedMs: number;
  /** Time for which the master has met all demands without interruption (ms). Null if it does not meet them now. */
  readonly goodForMs: number | null;
  readonly unit: {
    /** `ActiveState` of systemd. */
    readonly active: string;
    /** `SubState` of systemd. */
    readonly sub: string;
    /** Number of times that systemd has restarted the master since its start. */
    readonly restarts: number;
    /** How the master has exited, such as `exit code 1`. */
    readonly exit: string;
  };
  /** The master's answer on its local socket. Null if the master does not answer. */
  readonly answer: MasterAnswer | null;
}

/** Information that a master returns about its readiness (`master.readiness`). */
export interface MasterAnswer {
  readonly version: string;
  /** Whether the master makes decisions. */
  readonly hasSynced: boolean;
  /** Whether its SSH port is served. */
  readonly sshReady: boolean;
  /** Ids of the nodes whose services it has adopted. */
  readonly observed: readonly string[];
  /** Ids of all other nodes. */
  readonly unobserved: readonly string[];
}

/** Demands that a started master must meet. */
export interface StartDemand {
  /** Version that the master must report. */
  readonly version: string;
  /**
   * Whether the master must make decisions. False if the previous version made none either, for example because the
   * provider does not answer.
   */
  readonly mustSync: boolean;
  /** Whether the SSH port must be served. False if the previous version did not serve its SSH port either. */
  readonly mustServeSsh: boolean;
  /** Nodes that the master must observe if they still exist: the nodes that the previous version observed. */
  readonly nodes: readonly string[];
}

export type UpgradeVerdict =
  | { readonly kind: 'wait' }
  | { readonly kind: 'good' }
  /** `why` is the end of a sentence. */
  | { readonly kind: 'bad'; readonly why: string };

const WAIT: UpgradeVerdict = { kind: 'wait' };

/**
 * Returns whether, at the time of an observation, the master reports the demanded version and makes decisions.
 * Without `mustSync`, it need not make decisions.
 */
export function isDeciding({ answer }: MasterObservation, { version, mustSync }: StartDemand): boolean {
  return answer !== null && answer.version === version && (answer.hasSynced || !mustSync);
}

/** Returns whether the master meets all demands at the time of an observation. */
export function isServing(observed: MasterObservation, demand: StartDemand): boolean {
  return (
    isDeciding(observed, demand) && lackingNodes(observed, demand).length === 0 && !lacksSsh(observed, demand)
  );
}

function lacksSsh({ answer }: MasterObservation, { mustServeSsh }: StartDemand): boolean {
  return mustServeSsh && answer?.sshReady === false;
}

function lackingNodes({ answer }: MasterObservation, { nodes }: StartDemand): string[] {
  return nodes.filter((node) => answer?.unobserved.includes(node));
}

/**
 * Decides whether a started master is good, needs more time, or must be replaced with the previous version. It is
 * good once it has met all demands for 3 s. It must answer and serve SSH within 60 s, meet the other demands within
 * 180 s, and not exit twice.
 */
export function judgeStart(observed: MasterObservation, demand: StartDemand): UpgradeVerdict {
  const { elapsedMs, unit, answer, goodForMs } = observed;
  if (unit.active === 'failed' || unit.active === 'inactive') return bad(`it ended with ${unit.exit}`);
  if (unit.restarts > MAX_RESTARTS || (unit.sub === 'auto-restart' && unit.restarts === MAX_RESTARTS))
    return bad(`it ended with ${unit.exit} each time it was started`);
  if (answer !== null && answer.version !== demand.version)
    return bad(`the unit runs version ${answer.version} instead`);
  if (isServing(observed, demand)) return (goodForMs ?? 0) >= STEADY_MS ? { kind: 'good' } : WAIT;
  const lack = whyUnreachable(observed, demand);
  if (lack !== null && elapsedMs >= SERVE_WITHIN_MS)
    return bad(`${lack} within ${SERVE_WITHIN_MS / 1_000} s`);
  if (elapsedMs >= SYNC_WITHIN_MS) return bad(whyNotServing(observed, demand));
  return WAIT;
}

/** Returns why a master cannot be reached. Null if it can be. */
function whyUnreachable(observed: MasterObservation, demand: StartDemand): string | null {
  if (observed.answer === null) return 'it did not answer on its local socket';
  return lacksSsh(observed, demand) ? 'it did not serve SSH' : null;
}

function whyNotServing(observed: MasterObservation, demand: StartDemand): string {
  const after = `after ${SYNC_WITHIN_MS / 1_000} s`;
  if (!isDeciding(observed, demand)) return `it made no decisions ${after}`;
  return `it did not observe ${lackingNodes(observed, demand).join(', ')} ${after}`;
}

function bad(why: string): UpgradeVerdict {
  return { kind: 'bad', why };
}
