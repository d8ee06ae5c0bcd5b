/**
 * Matches the text before a message on a console, such as `[12:34:56] [Server thread/INFO]: `. A chat message does
 * not match, because it has a player's name after this text.
 */
const PREFIX = '^(?:\\[[^\\]]*\\]:? ?)*';

const UNKNOWN = 'Unknown (?:or incomplete )?command';

/** A command, and the answers that a server may print after it. */
export interface AnsweredCommand {
  readonly line: string;
  readonly yes: RegExp;
  readonly no: RegExp;
  /** Maximum time to wait for the answer (ms). */
  readonly withinMs: number;
}

/** Turns off saving. Answers of Minecraft since 1.13 and of earlier versions. */
export const SAVE_OFF: AnsweredCommand = {
  line: 'save-off',
  yes: new RegExp(
    `${PREFIX}(?:Automatic saving is now disabled|Turned off world auto-saving|Saving is already turned off)`,
  ),
  no: new RegExp(`${PREFIX}${UNKNOWN}`),
  withinMs: 10_000,
};

/** Writes everything to the disk. */
export const SAVE_ALL: AnsweredCommand = {
  line: 'save-all flush',
  yes: new RegExp(`${PREFIX}Saved the (?:game|world)`),
  no: new RegExp(`${PREFIX}(?:Unable to save|Saving failed|${UNKNOWN})`),
  withinMs: 120_000,
};

/** Command that lets a Minecraft server write its worlds again. */
export const SAVE_ON = 'save-on';

/**
 * Matches the answer of a server whose saving was already off, for example because an admin makes a backup with
 * another program.
 */
export const ALREADY_OFF = new RegExp(`${PREFIX}Saving is already turned off`);

/** Request to keep a running server from writing its worlds while its files are copied. */
export interface PauseRequest {
  /**
   * Whether the master itself may have turned saving off earlier. Saving is then turned on after the copy even if it
   * was already off. Otherwise, an admin has turned it off, and it stays off.
   */
  readonly mayBePaused: boolean;
  /**
   * Called when the pause is over, even if the copy has failed. Not called if the service does not run. Not called if
   * the connection broke, because it is then unknown how the pause ended.
   */
  readonly ended: (pause: SavingPause) => void;
}

/**
 * Answers of a server to `save-off`. `unknown`: it does not know the command. `silent`: it did not answer in time.
 */
export const PAUSE_ANSWERS = ['off', 'already-off', 'unknown', 'silent'] as const;

/** How a server was paused during a copy of its files. */
export interface SavingPause {
  readonly answer: (typeof PAUSE_ANSWERS)[number];
  /** Whether the server confirmed before the copy that it had written its worlds completely. */
  readonly flushed: boolean;
  /**
   * Whether `save-on` was sent. It is not sent after the answer `unknown`, or if an admin wants saving to stay off.
   */
  readonly resumed: boolean;
  /** Time from sending `save-off` to having sent `save-on` (ms). 0 if `save-on` was not sent. */
  readonly ms: number;
}

/** Reports whether `save-on` must be sent after a pause. */
export function mustResume(
  answer: SavingPause['answer'],
  { mayBePaused }: Pick<PauseRequest, 'mayBePaused'>,
): boolean {
  return answer === 'off' || answer === 'silent' || (answer === 'already-off' && mayBePaused);
}
