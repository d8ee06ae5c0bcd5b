import { ForksPoolWorker, type PoolOptions } from 'vitest/node';
import { ownNetwork } from '../../build/scripts/tests/own-network.mjs';

/** Worker process of Vitest in its own network namespace. */
class OwnNetworkWorker extends ForksPoolWorker {
  override readonly name = 'own-network';

  constructor(options: PoolOptions) {
    super({
      ...options,
      env: { ...options.env, OVERWORLD_OUTER_NETWORK: `/proc/${process.pid}/ns/net` },
      execArgv: [process.execPath, ...options.execArgv],
    });
  }

  /**
   * Starts the worker with the program `ownNetwork`. `fork` reads `process.execPath` when it is called. `super.start`
   * calls `fork` before its first await, so `process.execPath` can be reset at once.
   */
  override start(): Promise<void> {
    const { execPath } = process;
    process.execPath = ownNetwork;
    try {
      return super.start();
    } finally {
      process.execPath = execPath;
    }
  }
}

/** Runs each test file in its own process and network, so that files that run in parallel never use the same port. */
export const ownNetworkPool = {
  name: 'own-network',
  createPoolWorker: (options: PoolOptions) => new OwnNetworkWorker(options),
};
