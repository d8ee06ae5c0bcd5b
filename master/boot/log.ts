import { pino, type Logger } from 'pino';

/** Fields that may hold a secret, wherever they turn up in a logged object. */
const SECRETS = ['api_token', 'token', 'password', 'privateKey', 'secret'];

/**
 * The daemon's own log: one JSON object per line on stderr (stdout belongs to the command line's output).
 *
 * @param level `info` unless OVERWORLD_LOG says otherwise
 */
export function createLog(level = process.env['OVERWORLD_LOG'] ?? 'info'): Logger {
  const redact = { paths: SECRETS.flatMap((name) => [name, `*.${name}`]), censor: '••••' };
  return pino({ level, redact, base: null, timestamp: pino.stdTimeFunctions.isoTime }, pino.destination(2));
}
