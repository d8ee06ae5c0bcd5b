import type { Client, ClientChannel } from 'ssh2';
import { OverworldError } from '#shared/errors/overworld-error.ts';
import { RPC_SUBSYSTEM, type Result } from '#shared/rpc/contract.ts';
import { toClockOffset } from './clock-offset.ts';
import { createRpcClient, type MasterNotification, type RpcClient } from './rpc-client.ts';

interface AdminApiOptions {
  /** Address of the master (`host:port`), for messages. */
  readonly address: string;
  onNotification(notification: MasterNotification): void;
  onClose(rpc: RpcClient): void;
}

/** An open connection to a master's admin API, with the identity of that master. */
export interface AdminApi {
  readonly rpc: RpcClient;
  readonly info: Result<'master.info'>;
  /** Identifies the running master process. */
  readonly run: string;
  /** Offset of the master's clock from the app's clock (ms), see {@link toClockOffset}. */
  readonly clockOffsetMs: number;
}

/**
 * Opens the admin API on an SSH connection and identifies the master. Checks that the app works with the master's
 * version.
 *
 * @throws OverworldError MASTER_UNREACHABLE (the peer is not a master), API_VERSION_MISMATCH, CONNECTION_LOST
 */
export async function openAdminApi(client: Client, options: AdminApiOptions): Promise<AdminApi> {
  const { address } = options;
  const channel = await openSubsystem(client, address);
  const rpc: RpcClient = createRpcClient(channel, {
    address,
    onNotification: (notification) => options.onNotification(notification),
    onClose: () => options.onClose(rpc),
  });
  try {
    const sentAt = Date.now();
    const info = await rpc.call('master.info', {});
    const clockOffsetMs = toClockOffset({ sentAt, receivedAt: Date.now() }, info.now);
    return { rpc, info, run: `${info.cluster} ${info.startedAt}`, clockOffsetMs };
  } catch (error) {
    rpc.close();
    throw error;
  }
}

function openSubsystem(client: Client, address: string): Promise<ClientChannel> {
  return new Promise((resolve, reject) => {
    const onClose = () => reject(new OverworldError('CONNECTION_LOST', { address }));
    client.once('close', onClose);
    client.subsys(RPC_SUBSYSTEM, (error, channel) => {
      client.off('close', onClose);
      if (error === undefined) resolve(channel);
      else {
        const why = `it offers no "${RPC_SUBSYSTEM}" subsystem (${error.message}); it is probably not an Overworld master`;
        reject(new OverworldError('MASTER_UNREACHABLE', { address, why }, error));
      }
    });
  });
}
