import { afterEach, describe, it } from 'vitest';
import type { Backend } from '#shared/link/messages.ts';
import {
  backendOf,
  startScriptedMaster,
  type ScriptedConnection,
  type ScriptedMaster,
} from '../master/scripted-master.ts';
import { temporaryFolder } from '../temporary-folder.ts';
import { waitFor } from '../wait-for.ts';
import { joinAsPlayer, type Player } from './player.ts';
import type { PracticeServer } from './practice-server.ts';
import {
  realProxies,
  startRealProxy,
  type RealProxy,
  type RealProxyKind,
  type RealProxyOptions,
} from './real-proxy.ts';

/** Third-party proxy that is linked to a scripted master. */
export interface RealNetwork {
  readonly master: ScriptedMaster;
  readonly proxy: RealProxy;
  readonly link: ScriptedConnection;
  /** Joins as a player who has typed the given address. Default: the address of the proxy. */
  readonly join: (username: string, address?: string) => Promise<Player>;
  /** Replaces all game servers. Resolves when the proxy knows the new ones. */
  readonly replaceBackends: (backends: readonly Backend[]) => Promise<void>;
}

export interface RealNetworkOptions extends Pick<
  RealProxyOptions,
  'permissions' | 'forcedHosts' | 'priorities' | 'firstServers'
> {
  readonly backends: readonly Backend[];
  /** Number of players whom the proxy may admit. Default: 10. */
  readonly allowance?: number;
}

/** Starts a proxy with these game servers. Everything is closed after the test. */
export type StartRealNetwork = (options: RealNetworkOptions) => Promise<RealNetwork>;

/** Defines a test. It is skipped if no environment variable names a jar of the proxy. */
export type RealProxyTest = (what: string, run: (start: StartRealNetwork) => Promise<void>) => void;

/** Defines the tests of the plugin on each of these proxies. */
export function describeRealProxies(
  kinds: readonly RealProxyKind[],
  define: (test: RealProxyTest, kind: RealProxyKind) => void,
): void {
  describe.each(kinds)('the plugin on a real %s proxy', (kind) => {
    const toClose: { close(): Promise<void> }[] = [];
    afterEach(async () => {
      await Promise.all(toClose.splice(0).map((closable) => closable.close()));
    });
    const variable = kind === 'Velocity' ? 'OVERWORLD_TEST_VELOCITY_JAR' : 'OVERWORLD_TEST_BUNGEE_JAR';
    const jar = realProxies[kind];
    define((what, run) => {
      it(what, async ({ skip }) => {
        if (jar === undefined) return skip(`${variable} names no ${kind}`);
        await run((options) => startRealNetwork(kind, { jar, toClose, ...options }));
      });
    }, kind);
  });
}

async function startRealNetwork(
  kind: RealProxyKind,
  given: RealNetworkOptions & { readonly jar: string; readonly toClose: { close(): Promise<void> }[] },
): Promise<RealNetwork> {
  const { toClose, backends, allowance = 10 } = given;
  const master = await startScriptedMaster(temporaryFolder());
  toClose.push(master);
  const proxy = await startRealProxy(kind, { ...given, handOver: master.handOver('proxy-1') });
  toClose.push(proxy);
  const link = await master.welcomed();
  let seq = 0;
  const replaceBackends = async (all: readonly Backend[]): Promise<void> => {
    const current = (seq += 1);
    link.send({ type: 'backends', reset: true, put: [...all], gone: [], done: true });
    link.send({ type: 'allow', seq: current, allowance, answers: null });
    // The plugin has also handled all messages before the one that it answers.
    await link.receive('allowance', (answer) => answer.seq === current);
  };
  link.send({ type: 'network', online: 3, limit: 77 });
  await replaceBackends(backends);
  return {
    master,
    proxy,
    link,
    replaceBackends,
    join: async (username, address) => {
      const player = await joinAsPlayer({ port: proxy.port, username, address });
      // Disconnect the player at the end of the test.
      toClose.push({
        close() {
          player.drop();
          return Promise.resolve();
        },
      });
      return player;
    },
  };
}

/** Describes a practice server as a game server of the network. */
export function at(id: string, server: PracticeServer, changes: Partial<Backend> = {}): Backend {
  return backendOf(id, { port: server.port, ...changes });
}

/** Returns the first matching line that the player has heard. Waits for the line if the player has not heard it yet. */
export async function hears(player: Player, pattern: RegExp): Promise<string> {
  return waitFor(() => player.heard.find((line) => pattern.test(line)), {
    what: `${player.username} to hear ${pattern}; heard: ${player.heard.join(' | ')}`,
  });
}
