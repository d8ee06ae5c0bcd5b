import { z } from 'zod';

/** pino's numbers: 50 is error, 60 fatal. */
const ERROR_LEVEL = 50;

/** Longest reason that is shown, in characters. */
const MAX_REASON = 300;

const logLineSchema = z.object({
  level: z.number(),
  msg: z.string().optional(),
  err: z.object({ message: z.string() }).optional(),
});

/**
 * Why a master ended: the last error in what it wrote to stderr, be it a line of its log or of the runtime's; else how
 * it ended. Lines of the log that tell of no error are passed over.
 */
export function reasonOf(code: number, stderr: string): string {
  for (const line of stderr.trimEnd().split('\n').reverse()) {
    const reason = reasonIn(line.trim());
    if (reason !== null) return reason.slice(0, MAX_REASON);
  }
  return `it ended with exit code ${code}`;
}

function reasonIn(line: string): string | null {
  // A stack's frames follow the sentence that counts.
  if (line === '' || line.startsWith('at ')) return null;
  if (!line.startsWith('{')) return line;
  try {
    const parsed = logLineSchema.safeParse(JSON.parse(line));
    if (!parsed.success || parsed.data.level < ERROR_LEVEL) return null;
    return parsed.data.err?.message ?? parsed.data.msg ?? null;
  } catch {
    // The first line kept may be cut in the middle.
    return null;
  }
}
