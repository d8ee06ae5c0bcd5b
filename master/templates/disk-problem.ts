const sentences: Readonly<Record<string, string>> = {
  EACCES: 'the master has no permission to read it',
  EPERM: 'the master has no permission to read it',
  ENOENT: 'it does not exist',
  ENOTDIR: 'it is not a folder',
  ENOSPC: 'the disk is full',
  EDQUOT: 'the disk quota is used up',
  EIO: 'the disk reports a read or write error',
  EROFS: 'the disk is read-only',
  ENAMETOOLONG: 'its name is too long',
};

/** Returns the errno code of an error; undefined for other errors. */
export function diskCode(error: unknown): string | undefined {
  return error instanceof Error ? (error as NodeJS.ErrnoException).code : undefined;
}

/** Describes a file system error as the second half of a sentence about a path. */
export function diskProblem(error: unknown): string {
  const code = diskCode(error);
  if (code !== undefined && sentences[code] !== undefined) return sentences[code];
  return error instanceof Error ? error.message : String(error);
}

/** Returns whether the error means that the disk or its quota is full. */
export function isDiskFull(error: unknown): boolean {
  const code = diskCode(error);
  return code === 'ENOSPC' || code === 'EDQUOT';
}
