/** Where programs are looked for. Never the working folder, and nothing that an ordinary user can write to. */
export const PROGRAM_PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';

/**
 * All that a program gets unasked. HOME leads nowhere on purpose: settings found there, such as git's, can name
 * programs to run.
 */
export function baseEnvironment(): Record<string, string> {
  return { PATH: PROGRAM_PATH, LANG: 'C.UTF-8', HOME: '/nonexistent' };
}
