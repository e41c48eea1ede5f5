import { parsedUrl } from 'flyball/internal';

/** Names under which environments keep what nobody else may read. `PWD` alone is a folder. */
const SECRET_NAME = /(?:(?:^|_)(?:API_?KEY|ACCESS_KEY|KEY|TOKEN|SECRET|CREDENTIALS?)|PASSW(?:OR)?D|PASSPHRASE|_PWD)$/i;
/** Shorter values are ordinary words: blanking them would tear texts apart. */
const SHORTEST = 8;

/**
 * What must not leave through a feed, an answer or a page, wherever an agent found it: values of the environment, and
 * passwords and tokens in its addresses and in `addresses`.
 */
export function knownSecrets(
  env: Readonly<Record<string, string | undefined>>,
  addresses: readonly (string | undefined)[] = [],
): readonly string[] {
  const named = Object.entries(env).flatMap(([name, value]) => (SECRET_NAME.test(name) ? [value] : []));
  const inAddresses = [...Object.values(env), ...addresses].flatMap(passwordsIn);
  const all = [...named, ...inAddresses].flatMap((value = '') => (value.length >= SHORTEST ? [value] : []));
  return [...new Set(all)];
}

/** As it stands there, and as it is meant. */
function passwordsIn(address: string | undefined): readonly string[] {
  const { password = '' } = (address?.includes('://') === true ? parsedUrl(address) : undefined) ?? {};
  try {
    return [password, decodeURIComponent(password)];
  } catch {
    return [password]; // a percent sign that encodes nothing
  }
}
