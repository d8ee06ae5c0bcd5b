import { z } from 'zod';

/** pino's log levels: 50 is error, 60 fatal. */
const ERROR_LEVEL = 50;

/** Maximum length of the displayed reason (characters). */
const MAX_REASON = 300;

const logLineSchema = z.object({
  level: z.number(),
  msg: z.string().optional(),
  err: z.object({ message: z.string() }).optional(),
});

/**
 * Returns why a master exited: the last error in its stderr, either a log line or a message of the runtime. If stderr
 * contains no error, returns a text with the exit code. Log lines that are not errors are skipped.
 */
export function exitReason(code: number, stderr: string): string {
  for (const line of stderr.trimEnd().split('\n').reverse()) {
    const reason = reasonIn(line.trim());
    if (reason !== null) return reason.slice(0, MAX_REASON);
  }
  return `it exited with code ${code}`;
}

function reasonIn(line: string): string | null {
  // In a stack trace, the error's message is above the frames. So frames are skipped.
  if (line === '' || line.startsWith('at ')) return null;
  if (!line.startsWith('{')) return line;
  try {
    const parsed = logLineSchema.safeParse(JSON.parse(line));
    if (!parsed.success || parsed.data.level < ERROR_LEVEL) return null;
    return parsed.data.err?.message ?? parsed.data.msg ?? null;
  } catch {
    // The stored text may begin in the middle of a JSON line.
    return null;
  }
}
