/** Requests that are remembered; the oldest are forgotten first. */
const MAX_LINES = 500;

/** One SFTP request and how it was answered. */
export interface RequestLine {
  /** When it was sent, ms since epoch. */
  readonly at: number;
  /** What was asked and of what: paths and counts, never content. */
  readonly text: string;
  readonly ms: number;
  /** The master's answer where it refused. */
  readonly error: string | null;
}

/** The protocol log of the Files screen: the last requests to the master's files, over reconnects. */
export class RequestLog {
  #lines: RequestLine[] = [];

  add(line: RequestLine): void {
    this.#lines.push(line);
    // Cut now and then, so that not each line moves all others.
    if (this.#lines.length >= MAX_LINES * 2) this.#lines = this.#lines.slice(-MAX_LINES);
  }

  /** Oldest first, at most 500. */
  list(): RequestLine[] {
    return this.#lines.slice(-MAX_LINES);
  }
}
