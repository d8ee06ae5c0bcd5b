import { Argument, InvalidArgumentError } from 'commander';
import {
  softwareIds,
  softwareIdSchema,
  softwareVersionSchema,
  type SoftwareId,
} from '#shared/model/software.ts';

/** Defines the argument for the software. */
export function softwareArgument(): Argument {
  return new Argument('<software>', 'its name').choices(softwareIds).argParser(parseSoftware);
}

function parseSoftware(text: string): SoftwareId {
  const { data } = softwareIdSchema.safeParse(text);
  if (data !== undefined) return data;
  throw new InvalidArgumentError(`It must be one of ${softwareIds.join(', ')}.`);
}

/** Parses a version or build. @throws InvalidArgumentError */
export function parseVersion(text: string): string {
  const { data } = softwareVersionSchema.safeParse(text);
  if (data !== undefined) return data;
  throw new InvalidArgumentError('It must have 1 to 64 letters, digits, spaces and . _ + -');
}
