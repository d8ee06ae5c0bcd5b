import { requireReadRight, requireWriteRight } from '#master/files/sftp/file-rights.ts';
import type { LoginClient, SshBackend } from '../../ssh/ssh-backend.ts';
import type { toMaster, toService } from '../messages.ts';
import type { Peer, PeerHandlers } from '../peer.ts';
import type { RemoteFileJobs } from './remote-jobs.ts';
import { MAX_SESSIONS, type ServedSessions } from './served-sessions.ts';
import type { UsedProofs } from './used-proofs.ts';
import type { ViewHandles } from './view-handles.ts';

interface MasterHandlersOptions {
  readonly backend: SshBackend;
  readonly sessions: ServedSessions;
  readonly proofs: UsedProofs;
  readonly jobs: RemoteFileJobs;
  readonly service: () => Peer<typeof toService>;
  /** Called if the service does not close a connection within {@link HANG_UP_MS}. */
  readonly onStuck: () => void;
}

/** Maximum time for the service to close a connection (ms). */
const HANG_UP_MS = 5_000;

/** Creates the master's handlers for the messages of its SSH service. */
export function masterHandlers(options: MasterHandlersOptions): PeerHandlers<typeof toMaster> {
  const { backend, sessions, proofs, jobs, service, onStuck } = options;

  /**
   * Makes the service close a connection. Never rejects: if the service does not close it in time, `onStuck` ends the
   * service, which closes all connections.
   */
  async function hangUp(session: string): Promise<void> {
    sessions.startClosing(session);
    const timer = setTimeout(onStuck, HANG_UP_MS);
    // If the call fails, the service has ended, and its connections are closed as well.
    await service()
      .call('hangUp', { session })
      .catch(() => undefined);
    clearTimeout(timer);
  }

  /**
   * Returns the views of a session that may read the contents of files now. The SSH service checks this right, too,
   * but an attacker who controls it does not. @throws Refusal
   */
  function readableViews(session: string): ViewHandles {
    requireReadRight(sessions.get(session).session.key.role, backend.viewersRead());
    return sessions.views(session);
  }

  return {
    async login({ address, software, algorithm, key, proof }) {
      const decoded =
        proof === null
          ? null
          : { signature: toBytes(proof.signature), signed: toBytes(proof.signed), hash: proof.hash };
      // Notes the proof before the login is decided, because the same proof may arrive again in the meantime.
      if (decoded !== null && !proofs.add(decoded.signed)) return { kind: 'refused' };
      let id = '';
      const whyFull = (): string | null =>
        sessions.isFull ? `too many sessions (at most ${MAX_SESSIONS})` : null;
      const client: LoginClient = { address, software, hangUp: () => hangUp(id), whyFull };
      const answer = await backend.login({ algorithm, key: toBytes(key), proof: decoded }, client);
      if (answer.kind !== 'accepted') {
        if (decoded !== null) proofs.remove(decoded.signed);
        return answer;
      }
      const { session } = answer;
      id = session.id;
      const { views } = sessions.add(session);
      const { templates, ...rest } = session.key;
      const rights = { ...rest, templates: templates === null ? null : [...templates] };
      return { kind: 'accepted', session: id, key: rights, hasViews: views !== null };
    },
    refused({ address, why }) {
      backend.refused(address, why);
      return {};
    },
    async closed({ session }) {
      await sessions.end(session);
      return {};
    },
    channel({ session, ...use }) {
      sessions.channel(session, use);
      return {};
    },
    progress({ task, ...progress }) {
      jobs.report(task, progress);
      return {};
    },
    fileEvent({ session, to, ...event }) {
      sessions.changed(session, { ...event, ...(to === undefined ? {} : { to }) });
      return {};
    },
    'view.stat': ({ session, ...place }) => sessions.views(session).stat(place),
    'view.list': ({ session, ...place }) => sessions.views(session).list(place),
    'view.open': ({ session, ...place }) => readableViews(session).open(place),
    'view.next': ({ session, handle }) => sessions.views(session).next(handle),
    async 'view.read'({ session, handle, position, length }) {
      const content = await readableViews(session).read(handle, position, length);
      return { content: content.toString('base64') };
    },
    async 'view.close'({ session, handle }) {
      await sessions.viewsToEnd(session).close(handle);
      return {};
    },
    'change.begin'({ session, ...place }) {
      const { name: actor, role } = sessions.get(session).session.key;
      // All other messages about changes and writes name a handle that begins here, so they need no check.
      requireWriteRight(role);
      return sessions.views(session).beginChange(place, actor);
    },
    'change.place': ({ session, handle, names }) => sessions.viewsToEnd(session).place(handle, names),
    async 'change.use'({ session, handle, bytes }) {
      await sessions.viewsToEnd(session).use(handle, bytes);
      return {};
    },
    async 'change.end'({ session, handle }) {
      await sessions.viewsToEnd(session).endChange(handle);
      return {};
    },
    async 'hold.take'({ session, handle }) {
      return { handle: await sessions.views(session).takeHold(handle) };
    },
    async 'write.begin'({ session, handle }) {
      return { handle: await sessions.viewsToEnd(session).beginWrite(handle) };
    },
    async 'write.end'({ session, handle }) {
      await sessions.viewsToEnd(session).endWrite(handle);
      return {};
    },
    'hold.release'({ session, handle }) {
      sessions.viewsToEnd(session).releaseHold(handle);
      return {};
    },
  };
}

function toBytes(base64: string): Buffer {
  return Buffer.from(base64, 'base64');
}
