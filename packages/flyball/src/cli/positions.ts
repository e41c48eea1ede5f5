import { InvalidArgumentError } from 'commander';

/** The number of an entry, as `show` prints it. */
export function positionOption(given: string): number {
  const position = Number(given);
  if (given.trim() === '' || !Number.isInteger(position) || position < 0) {
    throw new InvalidArgumentError('It must be the number of an entry, as printed by flyball show.');
  }
  return position;
}
