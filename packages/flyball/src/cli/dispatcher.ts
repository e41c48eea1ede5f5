import { ConfigError } from '../core/errors.js';
import type { Dispatcher } from '../ports/dispatcher.js';
import { schemeOf } from './database-address.js';
import { ofInstalled } from './engine-packages.js';

/** A dispatcher that a process has opened, and closes in the end. */
export interface OpenDispatcher extends Dispatcher {
  /** Resolves when it can be used. Rejects if the process cannot offer its work. */
  ready(): Promise<void>;
  /** Called after the runtimes that use it are closed. */
  close(): Promise<void>;
}

/**
 * How a package adds a kind of dispatcher, which `--dispatcher` and FLYBALL_DISPATCHER then accept. Its package.json names a
 * module, which exports `dispatchers`:
 *
 *     "flyball": { "dispatchers": "./dist/dispatchers.js" }
 *
 * It is found where packages with commands are.
 */
export interface DispatcherPackage {
  /**
   * By the scheme of their addresses: `restate` opens restate://host:8080. What happens in the background is told to
   * `onProblem`: with what was being done, or with '' if the message says everything. What they throw must not show a
   * password.
   */
  readonly dispatchers: Readonly<
    Record<string, (address: string, onProblem: (error: unknown, doing: string) => void) => Promise<OpenDispatcher>>
  >;
}

/** Kinds of our own that come in packages of their own, so that whoever lacks one is told what to install. */
const PACKAGE_OF: Readonly<Record<string, string>> = {
  restate: '@flyball/restate',
  restates: '@flyball/restate',
};

/** By the package that is installed for its kind. */
export async function openDispatcher(
  address: string,
  onProblem: (error: unknown, doing: string) => void,
): Promise<OpenDispatcher> {
  const scheme = schemeOf(address);
  if (scheme === undefined)
    throw new ConfigError('A dispatcher is named by its address, which begins with restate:// for example.');
  const open = await ofInstalled<DispatcherPackage, 'dispatchers'>(address, 'dispatchers', PACKAGE_OF);
  return open(address, onProblem);
}
