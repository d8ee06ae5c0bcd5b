import { ANSI_PATTERNS } from '#shared/text/ansi.ts';
import {
  ALREADY_OFF,
  mustResume,
  PAUSE_ANSWERS,
  SAVE_ALL,
  SAVE_OFF,
  SAVE_ON,
  type AnsweredCommand,
  type PauseRequest,
} from '../../saving-pause.ts';

/**
 * Returns a request for a pause in the form of the tool (tool/volumes/pause.py). The master sends the tool the
 * commands, the patterns, and the answers after which saving is turned on again, so that all of these are defined
 * only once. The patterns have the same meaning in Python.
 */
export function toToolRequest({ mayBePaused }: Pick<PauseRequest, 'mayBePaused'>): object {
  return {
    off: toExpected(SAVE_OFF),
    flush: toExpected(SAVE_ALL),
    on: SAVE_ON,
    alreadyOff: ALREADY_OFF.source,
    look: ANSI_PATTERNS,
    resumeAfter: PAUSE_ANSWERS.filter((answer) => mustResume(answer, { mayBePaused })),
  };
}

function toExpected({ line, yes, no, withinMs }: AnsweredCommand): object {
  return { line, yes: yes.source, no: no.source, seconds: withinMs / 1_000 };
}
