/** Reason of the signal of a job that a person has cancelled. */
export class Cancelled extends Error {
  override readonly name = 'Cancelled';

  constructor() {
    super('the job was cancelled');
  }
}
