/**
 * Availability of each pair of server type and location. `available` is the value that the API reports. It does not
 * determine whether an order succeeds.
 */
export class Stock {
  readonly #empty = new Set<string>();
  readonly #shownEmpty = new Set<string>();
  readonly #deprecations = new Map<
    string,
    { readonly announced: string; readonly unavailableAfter: string }
  >();

  /** Makes orders of this server type in this location fail with status 412 until {@link Stock.refill}. */
  sellOut(type: string, location: string): void {
    this.#empty.add(key(type, location));
  }

  refill(type: string, location: string): void {
    this.#empty.delete(key(type, location));
  }

  /** Sets the reported value `locations[].available`, which does not determine whether an order succeeds. */
  show(type: string, location: string, available: boolean): void {
    if (available) this.#shownEmpty.delete(key(type, location));
    else this.#shownEmpty.add(key(type, location));
  }

  /** Announces that a server type will no longer be sold. */
  deprecate(type: string, location: string, unavailableAfter: string): void {
    this.#deprecations.set(key(type, location), { announced: '2026-10-01T00:00:00+00:00', unavailableAfter });
  }

  isSoldOut(type: string, location: string): boolean {
    return this.#empty.has(key(type, location));
  }

  isShown(type: string, location: string): boolean {
    return !this.#shownEmpty.has(key(type, location));
  }

  deprecationOf(type: string, location: string): object | null {
    const found = this.#deprecations.get(key(type, location));
    return found === undefined
      ? null
      : { announced: found.announced, unavailable_after: found.unavailableAfter };
  }
}

function key(type: string, location: string): string {
  return `${type}@${location}`;
}
