/**
 * Runs every case of bubblewrap as whoever it is started as, and prints one line of JSON for each. Arguments: the
 * canaries' places as JSON. Started as an ordinary user by sandbox-ordinary-user.slow.test.ts.
 */
import { bubblewrapSandbox } from '../../packages/flyball/src/adapters/sandbox-bubblewrap/index.js';
import { bubblewrapCases, notRunBecause, patternOf, readCase } from './bubblewrap-cases.js';

const places = JSON.parse(process.argv[2] ?? '{}') as Readonly<Record<string, string>> & {
  readonly work: string;
  readonly readOnly: string;
};
const fill = (script: string) => script.replaceAll(/\{([A-Z_]+)\}/g, (whole, name: string) => places[name] ?? whole);
const sandbox = await bubblewrapSandbox();
console.log(JSON.stringify({ description: sandbox.describe(), uid: process.getuid?.() }));
for (const each of bubblewrapCases) {
  const because = notRunBecause(each, sandbox);
  const text = because === undefined ? await readCase({ sandbox, places, fill }, each) : '';
  console.log(JSON.stringify({ id: each.id, because, text, isTold: patternOf(each, sandbox).test(text) }));
}
