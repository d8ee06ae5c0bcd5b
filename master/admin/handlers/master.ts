import { hostname } from 'node:os';
import { mayReadFiles } from '#shared/model/access/role.ts';
import { API_VERSION, type Result } from '#shared/rpc/contract.ts';
import type { HandlersOf } from '../api.ts';

export interface MasterFacts {
  readonly version: string;
  readonly cluster: string;
  readonly startedAt: number;
  /** Fingerprint of the host key, `SHA256:…`. */
  readonly hostKey: string;
  /** Returns the version of the Java that runs services, as this Java reports it. Null if no Java was found. */
  readonly javaVersion: () => Promise<string | null>;
  /** Returns which parts of the master are ready after its start. */
  readonly readiness: () => Omit<Result<'master.readiness'>, 'version' | 'sshReady'>;
  /** Returns whether the SSH port is served. */
  readonly isSshReady: () => boolean;
  /** Whether the master refuses an API token, because services on this machine could read it. */
  readonly refusesToken: boolean;
  /** Returns whether keys with the role viewer may read the contents of files now. */
  readonly viewersRead: () => boolean;
  /**
   * Shuts the master down shortly after the response was sent. `services`: whether its services stop or keep running.
   */
  readonly shutDown: (services: 'stop' | 'keep', actor: string) => void;
}

/** Creates the handlers of `master.*`. */
export function masterHandlers(facts: MasterFacts): HandlersOf<'master'> {
  return {
    'master.info': async (_, caller) => ({
      version: facts.version,
      apiVersion: API_VERSION,
      cluster: facts.cluster,
      hostname: hostname(),
      hostKey: facts.hostKey,
      platform: `${process.platform} ${process.arch}, Node ${process.versions.node}`,
      java: await facts.javaVersion(),
      startedAt: facts.startedAt,
      now: Date.now(),
      you: {
        name: caller.name,
        role: caller.role,
        readsFiles: mayReadFiles(caller.role, facts.viewersRead()),
        templates: caller.templates === null ? null : [...caller.templates],
      },
    }),
    'master.readiness': () => ({
      version: facts.version,
      sshReady: facts.isSshReady(),
      ...facts.readiness(),
    }),
    'master.shutdown': ({ services }, caller) => {
      facts.shutDown(services, caller.name);
      return {};
    },
  };
}
