import { afterEach } from 'vitest';
import { usePracticeGame, type PracticeGame } from './practice-game.ts';
import type { PracticeServer } from './practice-server.ts';
import {
  proxyConfig,
  startPracticeProxy,
  type PracticeProxy,
  type PracticeProxyOptions,
} from './practice-proxy.ts';

export interface ProxyGame extends PracticeGame {
  /** Starts a practice server that accepts players only through a proxy. */
  readonly backend: (properties?: Readonly<Record<string, string>>) => Promise<PracticeServer>;
  /**
   * Starts a practice proxy for these servers, without Overworld's plugin. The proxy tries the servers in this order.
   */
  readonly proxy: (
    backends: Readonly<Record<string, { readonly port: number }>>,
    options?: {
      readonly proxyProtocol?: boolean;
      readonly timeoutMs?: number;
    } & Partial<PracticeProxyOptions>,
  ) => Promise<PracticeProxy>;
}

/** Provides practice proxies, servers and players for the tests of one file. Removes them after each test. */
export function useProxyGame(): ProxyGame {
  const proxies: PracticeProxy[] = [];
  afterEach(async () => {
    await Promise.all(proxies.splice(0).map((proxy) => proxy.close()));
  });
  const game = usePracticeGame();
  return {
    ...game,
    backend: (properties = {}) =>
      game.start({ properties, files: { 'spigot.yml': 'settings:\n  bungeecord: true\n' } }),
    async proxy(backends, options = {}) {
      const ports = Object.entries(backends).map(([name, { port }]) => [name, port] as const);
      const config = proxyConfig(Object.fromEntries(ports), options);
      const proxy = await startPracticeProxy({ config, ...options });
      proxies.push(proxy);
      return proxy;
    },
  };
}
