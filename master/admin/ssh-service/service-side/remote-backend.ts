import type { Duplex } from 'node:stream';
import type { FileEvent } from '#master/files/sftp/file-event.ts';
import type { DiskReserves } from '#master/store/disk-reserve.ts';
import type { KeyOffer, LoginClient, OfferAnswer, SshBackend, SshSession } from '../../ssh/ssh-backend.ts';
import { toMaster, type ServiceSettings } from '../messages.ts';
import type { Peer } from '../peer.ts';
import { remoteViews } from './remote-views.ts';
import { turnsOfAll, ViewTurns } from './view-turns.ts';

interface RemoteBackendOptions {
  readonly master: () => Peer<typeof toMaster>;
  readonly disks: DiskReserves;
  readonly settings: () => ServiceSettings;
  /** Passes a channel of the admin API on to the master. */
  readonly serveApi: (session: string, channel: Duplex) => void;
}

/** The backend of the SSH server in the SSH service. Passes logins and other decisions on to the master's process. */
export class RemoteBackend implements SshBackend {
  readonly #options: RemoteBackendOptions;
  /** Connections by the ids of their sessions. */
  readonly #clients = new Map<string, LoginClient>();
  readonly #turns = turnsOfAll();

  constructor(options: RemoteBackendOptions) {
    this.#options = options;
  }

  async login({ algorithm, key, proof }: KeyOffer, client: LoginClient): Promise<OfferAnswer> {
    const { address, software } = client;
    const request = toMaster.login.params.safeParse({
      address,
      software: software.slice(0, 1_024),
      algorithm,
      key: key.toString('base64'),
      proof:
        proof === null
          ? null
          : {
              signature: proof.signature.toString('base64'),
              signed: proof.signed.toString('base64'),
              ...(proof.hash === undefined ? {} : { hash: proof.hash }),
            },
    });
    // The offer does not match the schema. No key that can be authorized has such an offer.
    if (!request.success) return { kind: 'refused' };
    const answer = await this.#options.master().call('login', request.data);
    if (answer.kind !== 'accepted') return answer;
    this.#clients.set(answer.session, client);
    return { kind: 'accepted', session: this.#session(answer.session, answer) };
  }

  refused(address: string, why: string): void {
    this.#options.master().notify('refused', { address, why });
  }

  viewersRead(): boolean {
    return this.#options.settings().viewersRead;
  }

  /** Closes the connection of a session. Does nothing if the connection is already closed. */
  async hangUp(session: string): Promise<void> {
    await this.#clients.get(session)?.hangUp();
  }

  #session(
    id: string,
    { key, hasViews }: Pick<SshSession, 'key'> & { readonly hasViews: boolean },
  ): SshSession {
    const { disks, serveApi } = this.#options;
    const master = this.#options.master();
    return {
      id,
      key,
      views: hasViews
        ? remoteViews({ master, session: id, disks, turns: new ViewTurns(this.#turns) })
        : undefined,
      serveApi: (channel) => serveApi(id, channel),
      onFileEvent: ({ kind, path, to }: FileEvent) =>
        master.notify('fileEvent', { session: id, kind, path, to }),
      openChannel: (use) => {
        master.notify('channel', { session: id, use, isOpen: true });
        return () => master.notify('channel', { session: id, use, isOpen: false });
      },
      close: () => {
        this.#clients.delete(id);
        master.notify('closed', { session: id });
      },
    };
  }
}
