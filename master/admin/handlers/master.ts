import { hostname } from 'node:os';
import { API_VERSION } from '#shared/rpc/contract.ts';
import type { HandlersOf } from '../api.ts';

export interface MasterFacts {
  readonly version: string;
  readonly cluster: string;
  readonly startedAt: number;
  /** Fingerprint of the host key, `SHA256:…`. */
  readonly hostKey: string;
  /** Returns the version of the Java runtime for services, as it reports it. Null if none was found. */
  readonly javaVersion: () => Promise<string | null>;
  /** Shuts the master down shortly after the response was sent. */
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
      you: { name: caller.name, role: caller.role },
    }),
    'master.shutdown': ({ services }, caller) => {
      facts.shutDown(services, caller.name);
      return {};
    },
  };
}
