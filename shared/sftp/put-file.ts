/**
 * Overworld's extension of SFTP version 3 (draft-ietf-secsh-filexfer-02, section 8): writes a small file with one
 * request. The standard protocol needs several requests, each of which waits for the one before. The master announces
 * the extension in its VERSION packet; other clients can ignore it.
 *
 * ```
 * byte   SSH_FXP_EXTENDED
 * uint32 id
 * string "put-file@overworld"
 * string part      temporary path in the folder of the target; must not exist
 * string target    final path
 * uint32 flags     PUT_FILE_REPLACE or 0
 * ATTRS            permissions and times; a size is not allowed
 * string data
 * ```
 *
 * The response is STATUS. OK: the target is the complete new file, as after successful OPEN (for a new file),
 * WRITE, FSETSTAT, CLOSE and RENAME (or `posix-rename@openssh.com`). Any other status: the target is unchanged, and
 * the part is removed.
 */
export const PUT_FILE = 'put-file@overworld';
export const PUT_FILE_VERSION = '1';

/** Flag that replaces an existing target atomically. Without this flag, the request fails if the target exists. */
export const PUT_FILE_REPLACE = 1;

/** Maximum data size of one request (bytes). Both sides hold the whole file in memory. */
export const PUT_FILE_MOST_BYTES = 65_536;
