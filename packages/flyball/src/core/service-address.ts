import { ConfigError } from './errors.js';
import { parsedUrl } from './parsed-url.js';

/**
 * The address of a service, as a setting has it. A refusal names the setting and repeats none of it: it may hold a
 * password anywhere. One that can be read and has a user or a password is refused too: `fetch` does not send to such an
 * address, and would show it in its error.
 */
export function serviceAddress(
  text: string,
  { setting, example }: { readonly setting: string; readonly example: string },
): URL {
  const url = parsedUrl(text);
  if (url === undefined || !/^https?:$/.test(url.protocol))
    throw new ConfigError(`${setting} is not an address. Write it as ${example}.`);
  if (url.username !== '' || url.password !== '')
    throw new ConfigError(`${setting} contains a user or a password. Remove it: write the address as ${example}.`);
  return url;
}
