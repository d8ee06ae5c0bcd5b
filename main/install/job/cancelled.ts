/** Abort reason of a job's signal when a person has cancelled the job. */
export class Cancelled extends Error {
  override readonly name = 'Cancelled';

  constructor() {
    super('the job was cancelled');
  }
}
