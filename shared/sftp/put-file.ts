/**
 * Our own extension of SFTP version 3 (draft-ietf-secsh-filexfer-02, section 8): a small file as a whole in one request.
 * By the protocol's own requests it takes six, each of which waits for the one before. Offered by the master in its
 * VERSION; a client that does not know it loses nothing.
 *
 * ```
 * byte   SSH_FXP_EXTENDED
 * uint32 id
 * string "put-file@overworld"
 * string part      temporary path, in the folder where the file will be; nothing may be there yet
 * string target    its path in the end
 * uint32 flags     PUT_FILE_REPLACE or 0
 * ATTRS            permissions and times; a size is not allowed
 * string data
 * ```
 *
 * Answered by STATUS. OK: the target is the new file, whole, as if OPEN (for a new file), WRITE, FSETSTAT, CLOSE and
 * RENAME (or `posix-rename@openssh.com`) had been answered so. All else: the target is as it was, the part is gone.
 */
export const PUT_FILE = 'put-file@overworld';
export const PUT_FILE_VERSION = '1';

/** Flag: what is at the target is replaced in one step. Without it the request fails where there is anything. */
export const PUT_FILE_REPLACE = 1;

/** Most data of one request, in bytes: the file is in memory as a whole, on both sides. */
export const PUT_FILE_MOST_BYTES = 65_536;
