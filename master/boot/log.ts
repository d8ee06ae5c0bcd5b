import { pino, type Logger } from 'pino';

/**
 * Names of fields that may contain a secret. Their values are masked at the top level of a logged object and one
 * level below.
 */
const SECRETS = ['api_token', 'token', 'password', 'privateKey', 'secret'];

/**
 * Creates the daemon's log: one JSON object per line on stderr. Stdout is reserved for the output of commands.
 *
 * @param level log level; default: OVERWORLD_LOG, or `info`
 */
export function createLog(level = process.env['OVERWORLD_LOG'] ?? 'info'): Logger {
  const redact = { paths: SECRETS.flatMap((name) => [name, `*.${name}`]), censor: '••••' };
  return pino({ level, redact, base: null, timestamp: pino.stdTimeFunctions.isoTime }, pino.destination(2));
}
