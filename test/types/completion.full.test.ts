import { readFileSync } from 'node:fs';
import { expect, it, onTestFinished } from 'vitest';
import { LanguageServer } from './language-server.js';

const folder = new URL('.', import.meta.url);
const file = new URL('mistakes.ts', folder);

/** What an editor offers between the quotes of `before'…'`. */
async function offered(before: string): Promise<readonly string[]> {
  const whole = readFileSync(file, 'utf8');
  const start = whole.indexOf(`${before}'`) + before.length + 1;
  const text = `${whole.slice(0, start)}${whole.slice(whole.indexOf("'", start))}`; // nothing is typed yet
  const lines = text.slice(0, start).split('\n');
  const server = new LanguageServer();
  onTestFinished(() => server.close());
  await server.ask('initialize', { processId: process.pid, rootUri: folder.href, capabilities: {} });
  server.tell('initialized', {});
  const uri = file.href;
  server.tell('textDocument/didOpen', { textDocument: { uri, languageId: 'typescript', version: 1, text } });
  const position = { line: lines.length - 1, character: lines.at(-1)?.length ?? 0 };
  const list = (await server.ask('textDocument/completion', { textDocument: { uri }, position })) as {
    readonly items: readonly { readonly label: string }[];
  };
  return list.items.map(({ label }) => label);
}

it('an editor completes the names of agents, of a runtime and of a workflow [F-N1]', async () => {
  expect(await offered('runtime.start(')).toEqual(['greet', 'refunds']);
  expect(await offered('parts.invokeAgent(run, ')).toEqual(['refunds']);
});
