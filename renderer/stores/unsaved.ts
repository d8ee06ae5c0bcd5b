/** Names what of one kind is typed and not saved: "template lobby". */
type Names = () => readonly string[];

const kinds = new Set<Names>();

/** Where work may be lost when the window begins anew (another master), its keeper says here what is not saved. */
export function tellsUnsaved(names: Names): void {
  kinds.add(names);
}

/** Everything that is typed and not saved, in words. */
export function allUnsaved(): readonly string[] {
  return [...kinds].flatMap((names) => names());
}
