import { ConfigError } from 'flyball';
import { nearestNames } from 'flyball/internal';

/** A name that nobody has, with the one that was probably meant. */
export function unknownName(
  what: string,
  name: string,
  known: readonly string[],
  see = 'flyball evals list',
  of = '',
): ConfigError {
  const near = nearestNames(name, known);
  const hint =
    near.length > 0
      ? `Did you mean ${near.join(' or ')}?`
      : known.length <= 12
        ? `Available: ${known.join(', ')}.`
        : '';
  return new ConfigError(
    `There is no ${what} "${name}"${of === '' ? '' : ` in ${of}`}. ${hint}${hint === '' ? '' : ' '}\`${see}\` lists them.`,
  );
}
