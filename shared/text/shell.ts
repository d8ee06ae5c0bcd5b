/**
 * Quotes an argument for `sh`. Works for any content.
 *
 * Example: `quote("it's")` is `'it'\''s'`.
 */
export function quote(argument: string): string {
  return `'${argument.replaceAll("'", `'\\''`)}'`;
}

/**
 * Wraps a command so that the command and its child processes are terminated as soon as their channel or connection
 * closes. OpenSSH does not forward signals to commands of root, but it closes their standard input. The wrapper
 * therefore treats any event on its standard input as the close. Nothing may be written to that input.
 */
export function untilInputEnds(command: string): string {
  return [
    'exec 3<&0',
    `setsid sh -c ${quote(command)} < /dev/null 3<&- &`,
    'command=$!',
    // dash does not know `--` before the number of a process group.
    '{ read -r line <&3; kill -TERM -$command; } > /dev/null 2>&1 &',
    'watch=$!',
    'wait $command',
    'code=$?',
    'kill $watch',
    'exit $code',
  ].join('\n');
}
