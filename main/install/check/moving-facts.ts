import { COPY_MARK, DATA_FOLDER, HANDED_MARK, OPTIONS_FILE, STOPPED_MARK } from '../move-places.ts';

/** Maximum size of the options file that is moved (bytes). A usual file has one line. */
const MAX_OPTIONS_BYTES = 16_384;

/** Facts about a server that matter when a master is moved from or to it. */
export interface MovingFacts {
  /** Size of the data folder (KiB). Null if there is no data folder. */
  readonly dataKib: number | null;
  /** Whether the data folder contains anything, except the folder `lost+found` of its disk. */
  readonly hasData: boolean;
  /** Whether the data folder is a copy of an earlier attempt to move a master here. */
  readonly isCopy: boolean;
  /** Whether an earlier attempt to move the master has stopped it on this server. */
  readonly isStopped: boolean;
  /**
   * `host:port` of the server to which an earlier attempt has handed the master over. Null if there was no handover.
   */
  readonly handedTo: string | null;
  /** Text of /etc/default/overworld-master. Null if the file does not exist. */
  readonly options: string | null;
  /** Whether that file is too large to be moved. */
  readonly hasLargeOptions: boolean;
  /** Whether an admin has changed the unit. */
  readonly hasOwnUnit: boolean;
  /** Whether root has allowed the master to run services on this server, too. */
  readonly isNode: boolean;
  /** Whether the master manages HAProxy on this server. */
  readonly managesHaproxy: boolean;
}

/** Part of the check script that prints the {@link MovingFacts}. */
export const movingScript = `
if [ -d ${DATA_FOLDER} ]; then
  fact data-kib "$(du -sk ${DATA_FOLDER} 2> /dev/null | cut -f 1)"
  if [ -n "$(find ${DATA_FOLDER} -mindepth 1 -maxdepth 1 ! -name lost+found -print -quit 2> /dev/null)" ]; then
    fact data yes
  fi
fi
if [ -e ${COPY_MARK} ]; then fact move-copy yes; fi
if [ -e ${STOPPED_MARK} ]; then fact move-stopped yes; fi
if [ -e ${HANDED_MARK} ]; then fact move-handed-to "$(cat ${HANDED_MARK})"; fi
if [ -f ${OPTIONS_FILE} ]; then
  fact options "$(head -c ${MAX_OPTIONS_BYTES + 1} ${OPTIONS_FILE} | base64 -w 0)"
fi
if ls /etc/systemd/system/overworld-master.service.d/*.conf > /dev/null 2>&1; then fact own-unit yes; fi
if [ -e /etc/overworld-node/access.json ]; then fact node yes; fi
if grep -qs '^# BEGIN OVERWORLD' /etc/haproxy/haproxy.cfg; then fact haproxy yes; fi`;

/**
 * Reads the facts from the output of the check script. @param value returns the value of a line; null if there is no
 * such line
 */
export function readMovingFacts(value: (name: string) => string | null): MovingFacts {
  const kib = Number(value('data-kib') ?? Number.NaN);
  const text = value('options');
  const options = text === null ? null : Buffer.from(text, 'base64');
  return {
    dataKib: Number.isSafeInteger(kib) && kib >= 0 && value('data-kib') !== '' ? kib : null,
    hasData: value('data') === 'yes',
    isCopy: value('move-copy') === 'yes',
    isStopped: value('move-stopped') === 'yes',
    handedTo: value('move-handed-to'),
    options: options?.toString() ?? null,
    hasLargeOptions: (options?.length ?? 0) > MAX_OPTIONS_BYTES,
    hasOwnUnit: value('own-unit') === 'yes',
    isNode: value('node') === 'yes',
    managesHaproxy: value('haproxy') === 'yes',
  };
}

/**
 * Matches a line of a systemd environment file (systemd.exec(5), EnvironmentFile) that is empty, is a comment, or
 * sets OPTIONS. The line must not contain a backslash, which could make the next line part of it.
 */
const OPTIONS_LINE = /^[ \t]*(?:[#;][^\\]*|OPTIONS=(?:[^'"\\]*|"[^"\\]*"[ \t]*|'[^'\\]*'[ \t]*))?$/;

/**
 * Returns whether the options file of a master sets no variable other than `OPTIONS`. Other variables, such as
 * NODE_OPTIONS, could make the new server run other programs.
 */
export function areOnlyOptions(text: string): boolean {
  return text.split(/[\r\n]/).every((line) => OPTIONS_LINE.test(line));
}

/** Returns the port of the master's SSH server from its options: the last `--ssh-port`, or the default 2022. */
export function sshPortIn(options: string | null): number {
  const found = [...(options ?? '').matchAll(/--ssh-port[= ]+(\d{1,5})(?!\d)/g)].at(-1)?.[1];
  return found === undefined ? 2022 : Number(found);
}
