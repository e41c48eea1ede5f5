/**
 * Hands out one source file with a planted fault in it. Node calls `load` for every module, with the file as it is on
 * the disk for all others.
 */
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';

/** @type {{ url: string, find: string, put: string } | undefined} */
let fault;

/** @param {{ url: string, find: string, put: string }} given */
export function initialize(given) {
  fault = given;
}

/**
 * @param {string} url
 * @param {{ format?: string | null }} context
 * @param {(url: string, context: object) => Promise<object>} nextLoad
 */
export async function load(url, context, nextLoad) {
  if (fault === undefined || url.split('?')[0] !== fault.url) return nextLoad(url, context);
  const text = await readFile(fileURLToPath(fault.url), 'utf8');
  if (text.split(fault.find).length !== 2) throw new Error(`The planted fault does not fit ${fault.url} any more.`);
  return { format: 'module', source: text.replace(fault.find, () => fault?.put ?? ''), shortCircuit: true };
}
