import type { ServerDraft } from '#shared/ipc/contract.ts';
import { addressOf } from '../../connections/ssh.ts';
import type { JobDraft, JobMemory, ServerMemory } from './job-parts.ts';

/** Returns the memory of a new job, which knows nothing about its servers yet. */
export function freshMemory(): JobMemory {
  return { server: unknownServer(), from: unknownServer(), observed: null, before: undefined };
}

/** Returns the memory of a server that the job has not contacted yet. */
export function unknownServer(): ServerMemory {
  return { hostKey: null, loginAllowed: false };
}

/** Returns the server of a draft. For a move, this is the new server. */
export function serverIn(draft: JobDraft): ServerDraft {
  switch (draft.kind) {
    case 'install':
      return draft.install.server;
    case 'update':
      return draft.server;
    case 'move':
      return draft.move.server;
  }
}

/** Returns the server that a move leaves. Null for other drafts. */
export function fromIn(draft: JobDraft): ServerDraft | null {
  return draft.kind === 'move' ? draft.move.from : null;
}

/** Returns a draft with another server. */
export function withServer(draft: JobDraft, server: ServerDraft): JobDraft {
  switch (draft.kind) {
    case 'install':
      return { ...draft, install: { ...draft.install, server } };
    case 'update':
      return { ...draft, server };
    case 'move':
      return { ...draft, move: { ...draft.move, server } };
  }
}

/** Returns the draft of a move with another old server. Drafts of other jobs are returned unchanged. */
export function withFrom(draft: JobDraft, from: ServerDraft): JobDraft {
  return draft.kind === 'move' ? { ...draft, move: { ...draft.move, from } } : draft;
}

/** Returns `user@host:port`. */
export function personAt(server: ServerDraft): string {
  return `${server.user}@${addressOf(server)}`;
}
