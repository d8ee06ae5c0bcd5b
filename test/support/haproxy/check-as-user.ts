import { requireValidConfig } from '#master/cli/install/haproxy.ts';

/**
 * Checks a configuration in the same way as `install`. Tests run this program in a terminal. Arguments:
 * configuration, user.
 */
const [config = '', user = ''] = process.argv.slice(2);
await requireValidConfig(config, user);
