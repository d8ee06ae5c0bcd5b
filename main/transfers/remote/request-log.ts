/** Maximum number of requests in the log. The oldest are removed first. */
const MAX_LINES = 500;

/** One SFTP request and its response. */
export interface RequestLine {
  /** Time when the request was sent (ms since epoch). */
  readonly at: number;
  /** The request and its subject: paths and counts, never content. */
  readonly text: string;
  /** Time until the response (ms). */
  readonly ms: number;
  /** Message of the error; null if the request succeeded. */
  readonly error: string | null;
}

/** The log of the Files screen: the last SFTP requests to the master, across reconnects. */
export class RequestLog {
  #lines: RequestLine[] = [];

  add(line: RequestLine): void {
    this.#lines.push(line);
    // Removes old lines in batches, so that adding a line does not move all others each time.
    if (this.#lines.length >= MAX_LINES * 2) this.#lines = this.#lines.slice(-MAX_LINES);
  }

  /** Returns the requests, oldest first, at most 500. */
  list(): RequestLine[] {
    return this.#lines.slice(-MAX_LINES);
  }
}
