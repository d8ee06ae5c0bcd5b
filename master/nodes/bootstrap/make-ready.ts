import type { Machine, Machines } from '../machines.ts';
import type { NodeShell } from '../shell.ts';

/** What was found on a node that is ready. */
export interface Readiness {
  readonly hasJava: boolean;
  /** What is wrong with it although it works, one sentence; null when all is well. */
  readonly warning: string | null;
}

/** A node that somebody has logged in at. */
export interface Visit {
  readonly machine: Machine;
  readonly shell: NodeShell;
  /** Fingerprint of the host key that it showed. */
  readonly hostKey: string;
  /** Says what is being done, for people. */
  readonly step: (text: string) => void;
}

/** Makes nodes ready, and looks after them. */
export interface ReadyMaker {
  /** Does what is still to be done, which on a node that was ready before is nothing. `reconnect`: it goes on over a new connection. */
  make(visit: Visit): Promise<Readiness | 'reconnect'>;
  look(shell: NodeShell, machine: Machine): Promise<Readiness>;
}

interface Options {
  prepare(shell: NodeShell, machine: Machine): Promise<void>;
  readonly remember: Machines['remember'];
  readonly allowMaster: Machines['allowMaster'];
}

export function readyMaker(options: Options): ReadyMaker {
  const look = async (shell: NodeShell): Promise<Readiness> => {
    const { code } = await shell.run('command -v java');
    return { hasJava: code === 0, warning: null };
  };
  return {
    look,
    async make({ machine, shell, step }) {
      step('what its services need is put in place');
      await options.prepare(shell, machine);
      return look(shell);
    },
  };
}
