/** The parts of a server's address. A part that the text does not contain is missing. */
export interface TypedAddress {
  readonly host: string;
  readonly user?: string;
  readonly port?: string;
}

/**
 * Splits the address of a server as people copy it: `host`, `user@host:port`, `[v6]:port`, `ssh://user@host:port`, or
 * a whole command such as `ssh -p 2222 user@host`. Returns only the parts that the text contains. Returns any other
 * text as the host, so that validation reports it. This includes commands that connect through a jump host.
 */
export function splitServerAddress(typed: string): TypedAddress {
  const text = typed.trim();
  const command = /^ssh\s+(.*)$/.exec(text);
  if (usesJumpHost(text)) return { host: text };
  return command === null
    ? splitOne(text.replace(/^(?:ssh|sftp):\/\//, '').replace(/\/$/, ''))
    : splitCommand(command[1] ?? '');
}

/**
 * Options of `ssh` for a connection through another server (ssh(1)): `-J` and `-W`, also after options without a value
 * (`-AJ`), and `-o` with `ProxyJump` or `ProxyCommand`.
 */
const JUMP = /\s-[46AaCfGgKkMNnqsTtVvXxYy]*[JW]/;
const JUMP_OPTION = /\s-o\s*["']?Proxy(?:Jump|Command)\s*[=\s]\s*(?!none\b)/i;

/**
 * Returns whether a text is an `ssh` command that connects through a jump host.
 *
 * Example: `ssh -J bastion root@10.0.0.5` → true.
 */
export function usesJumpHost(typed: string): boolean {
  return /^\s*ssh\s/.test(typed) && (JUMP.test(typed) || JUMP_OPTION.test(typed));
}

/** Splits `user@host:port`. */
function splitOne(text: string): TypedAddress {
  const match = /^(?:([^@\s]+)@)?(?:\[([^\]\s]+)\]|([^\s:@]+))(?::(\d{1,5}))?$/.exec(text);
  if (match !== null) {
    const [, user, bracketed, plain, port] = match;
    return {
      host: bracketed ?? plain ?? '',
      ...(user === undefined ? {} : { user }),
      ...(port === undefined ? {} : { port }),
    };
  }
  // An IPv6 address without brackets has no port.
  const v6 = /^(?:([^@\s]+)@)?([0-9a-f:.]+(?:%\w+)?)$/i.exec(text);
  return v6 === null
    ? { host: text }
    : { host: v6[2] ?? '', ...(v6[1] === undefined ? {} : { user: v6[1] }) };
}

/** Options of `ssh` for the port and the user. Other options are ignored. */
const PORT = '-p';
const USER = '-l';

/** Splits the arguments of `ssh`. */
function splitCommand(args: string): TypedAddress {
  const words = args.split(/\s+/).filter((word) => word !== '');
  let found: TypedAddress = { host: '' };
  let given: Partial<TypedAddress> = {};
  for (let at = 0; at < words.length; at++) {
    const word = words[at] ?? '';
    const value = word.length > 2 ? word.slice(2) : (words[at + 1] ?? '');
    const takesNext = word.length === 2 && /^-[bcDEeFIiJLlmOopQRSWw]$/.test(word);
    if (word.startsWith(PORT)) given = { ...given, port: value };
    else if (word.startsWith(USER)) given = { ...given, user: value };
    else if (!word.startsWith('-') && found.host === '') found = splitOne(word.replace(/^ssh:\/\//, ''));
    if (takesNext) at += 1;
  }
  return { ...found, ...given };
}
