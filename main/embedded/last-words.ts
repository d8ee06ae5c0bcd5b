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
 * Returns why a master exited: the last error in its stderr, from its log or from the runtime, or else its exit
 * code. Log lines that are not errors are skipped.
 */
export function reasonOf(code: number, stderr: string): string {
  for (const line of stderr.trimEnd().split('\n').reverse()) {
    const reason = reasonIn(line.trim());
    if (reason !== null) return reason.slice(0, MAX_REASON);
  }
  return `it ended with exit code ${code}`;
}

function reasonIn(line: string): string | null {
  // The frames of a stack trace follow the relevant sentence.
  if (line === '' || line.startsWith('at ')) return null;
  if (!line.startsWith('{')) return line;
  try {
    const parsed = logLineSchema.safeParse(JSON.parse(line));
    if (!parsed.success || parsed.data.level < ERROR_LEVEL) return null;
    return parsed.data.err?.message ?? parsed.data.msg ?? null;
  } catch {
    // The first stored line may be incomplete.
    return null;
  }
}
