import { ForksPoolWorker, type PoolOptions } from 'vitest/node';
import { ownNetwork } from '../../build/scripts/tests/own-network.mjs';

/** A worker process of Vitest in a network namespace of its own. */
class OwnNetworkWorker extends ForksPoolWorker {
  override readonly name = 'own-network';

  constructor(options: PoolOptions) {
    super({
      ...options,
      env: { ...options.env, OVERWORLD_OUTER_NETWORK: `/proc/${process.pid}/ns/net` },
      execArgv: [process.execPath, ...options.execArgv],
    });
  }

  /** `fork` takes the program from `process.execPath` when it is called, which is before the first await. */
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

/** Runs each test file in a process and a network of its own, so that files beside each other never share a port. */
export const ownNetworkPool = {
  name: 'own-network',
  createPoolWorker: (options: PoolOptions) => new OwnNetworkWorker(options),
};
