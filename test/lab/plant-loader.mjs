/** Hands out a source file with a planted fault in it, and every other one as it is on the disk. */
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';

/** @type {readonly { url: string, find: string, put: string }[]} */
let faults = [];

/** @param {readonly { url: string, find: string, put: string }[]} given */
export function initialize(given) {
  faults = given;
}

/**
 * @param {string} url
 * @param {{ format?: string | null }} context
 * @param {(url: string, context: object) => Promise<object>} nextLoad
 */
export async function load(url, context, nextLoad) {
  const fault = faults.find((one) => url.split('?')[0] === one.url);
  if (fault === undefined) return nextLoad(url, context);
  const text = await readFile(fileURLToPath(fault.url), 'utf8');
  if (text.split(fault.find).length !== 2) throw new Error(`The planted fault does not fit ${fault.url} any more.`);
  return { format: 'module', source: text.replace(fault.find, () => fault.put), shortCircuit: true };
}
