import { pino, type Logger } from 'pino';

/** Fields that may contain a secret, wherever they appear in a logged object. */
const SECRETS = ['api_token', 'token', 'password', 'privateKey', 'secret'];

/**
 * Creates the daemon's log: one JSON object per line on stderr. Stdout belongs to the output of commands.
 *
 * @param level log level; default: OVERWORLD_LOG, or `info`
 */
export function createLog(level = process.env['OVERWORLD_LOG'] ?? 'info'): Logger {
  const redact = { paths: SECRETS.flatMap((name) => [name, `*.${name}`]), censor: '••••' };
  return pino({ level, redact, base: null, timestamp: pino.stdTimeFunctions.isoTime }, pino.destination(2));
}
