/** Names under which environments keep what nobody else may read. */
const SECRET_NAME = /(?:^|_)(?:API_?KEY|ACCESS_KEY|KEY|TOKEN|SECRET|PASSWORD|PASSWD|CREDENTIALS?)$/i;
/** Shorter values are ordinary words: blanking them would tear texts apart. */
const SHORTEST = 8;

/** Values of the environment that must not leave through a feed, an answer or a page, wherever an agent found them. */
export function knownSecrets(env: Readonly<Record<string, string | undefined>>): readonly string[] {
  const values = Object.entries(env).flatMap(([name, value]) =>
    value !== undefined && value.length >= SHORTEST && SECRET_NAME.test(name) ? [value] : [],
  );
  return [...new Set(values)];
}
