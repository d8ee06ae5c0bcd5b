import { requireValidConfig } from '#master/cli/install/haproxy.ts';

/** Checks a configuration as `install` does, for tests with a terminal. Arguments: configuration, user. */
const [config = '', user = ''] = process.argv.slice(2);
await requireValidConfig(config, user);
