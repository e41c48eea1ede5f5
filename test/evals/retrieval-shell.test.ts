import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { workspaceFolder } from '../../packages/evals/src/files/index.js';
import {
  type Knowledge,
  type KnowledgeSetup,
  loadKnowledge,
} from '../../packages/evals/src/tau2/banking-knowledge/knowledge/index.js';
import { filesOf, refusal } from '../../packages/evals/src/tau2/banking-knowledge/knowledge/shell-tool.js';
import type { DataFolder } from '../../packages/evals/src/world/environment.js';
import { bubblewrapSandbox, detectBubblewrap } from '../../packages/flyball/src/adapters/sandbox-bubblewrap/index.js';
import { processSandbox } from '../../packages/flyball/src/adapters/sandbox-process/index.js';
import type { WorkspaceMaker } from '../../packages/flyball/src/ports/workspace.js';

const DOCUMENTS = [
  { id: 'doc_a_(general)_001', title: 'Closing a card', content: 'Use close_card_1234 to close a card.' },
  { id: 'doc_b', title: 'Fees', content: 'A fee of $5 is charged.' },
];

const data: DataFolder = {
  place: '/data',
  read: async (path) => {
    const document = DOCUMENTS.find(({ id }) => path.endsWith(`/${id}.json`));
    return document === undefined ? 'policy' : JSON.stringify(document);
  },
  list: async (path) => {
    if (path.endsWith('documents')) return DOCUMENTS.map(({ id }) => `${id}.json`);
    return path.endsWith('prompts') ? ['agentic_search.md', 'agentic_search_write.md'] : [];
  },
};

describe('the files of a shell', () => {
  it('are the documents as Markdown under names made of their ids, and an index of them [R5-DOMAIN-TERMINAL]', () => {
    const files = filesOf(DOCUMENTS);
    expect([...files.keys()]).toEqual(['doc_a__general__001.md', 'doc_b.md', 'INDEX.md']);
    expect(files.get('doc_b.md')).toBe('# Fees\n\nA fee of $5 is charged.');
    expect(files.get('INDEX.md')).toContain('- **doc_a__general__001.md** - Closing a card');
  });

  it.each([
    ['cat ../secret', '..'],
    ['cat /etc/passwd', '/etc/passwd'],
    ['ls;/bin/cat x', '/bin/cat'],
    ['/usr/bin/env', '/usr/bin/env'],
    ['cat ~/.ssh/id', '~'],
    ['ls $HOME', '$HOME'],
    ['ls "x" $' + '{HOME}', '$HOME'],
  ])('are not left by %s [R5-DOMAIN-TERMINAL]', (command, named) => {
    expect(refusal(command)).toContain(named);
  });

  it.each([
    "grep '/etc/../x' *.md",
    'grep "~" doc_b.md',
    'grep -r fee . | sort | head -n 3',
    'awk -F: "{print $1}" a/b',
  ])('may be searched by %s, whatever the quotes hold', (command) => {
    expect(refusal(command)).toBeUndefined();
  });
});

const found = await detectBubblewrap();
if (!found.available) process.stdout.write(`Skipped the shell in bubblewrap: ${found.why}.\n`);

describe.skipIf(!found.available)('the shell over the documents, in bubblewrap', () => {
  let knowledge: Knowledge;
  const paths: string[] = [];
  const make = workspaceFolder();
  const workspace: WorkspaceMaker = async (files) => {
    const made = await make(files);
    paths.push(made.path);
    return made;
  };
  beforeAll(async () => {
    knowledge = await loadKnowledge(data, { sandbox: await bubblewrapSandbox(), workspace });
  });
  afterAll(() => knowledge.close());

  const shell = (setup: KnowledgeSetup, command: string): Promise<string> =>
    setup.tools[0]?.call(new Map([['command', command]])) ?? Promise.reject(new Error('no shell'));
  const reading = (command: string): Promise<string> => shell(knowledge.setup({ retrieval: 'terminal_use' }), command);

  it('runs pipelines in the folder of the documents [R5-DOMAIN-TERMINAL]', async () => {
    expect(await reading('ls')).toBe('INDEX.md\ndoc_a__general__001.md\ndoc_b.md\n');
    expect(await reading("grep -ril 'close_card' . | wc -l")).toBe('1\n');
    expect(await reading('head -n 1 doc_b.md')).toBe('# Fees\n');
  });

  it('changes nothing and reaches nothing else [R5-DOMAIN-TERMINAL]', async () => {
    expect(await reading('echo x > doc_b.md')).toMatch(/^Error \(exit code 1\): .*[Rr]ead-only/s);
    expect(await reading('touch new.md; ls')).not.toContain('new.md\n');
    const outside = fileURLToPath(new URL('../../package.json', import.meta.url));
    expect(await reading(`cat "${outside}"`)).toMatch(/^Error \(exit code 1\): .*No such file/);
    expect(await reading('cat ../x')).toContain('was not run');
  });

  it('says when nothing was found, nothing was written, or something failed', async () => {
    expect(await reading('grep zebra doc_b.md')).toBe('No matches found.');
    expect(await reading('true')).toBe('(no output)');
    expect(await reading('exit 3')).toBe('Command failed with exit code 3');
    expect(await reading('cat nothing.md')).toMatch(/^Error \(exit code 1\): cat: nothing.md/);
  });

  it('shows the same owner and time of a file on every machine', async () => {
    expect(await reading('ls -l doc_b.md')).toMatch(/^-\S+ +1 kb_user {2}kb_group {2}31 Jan {2}1 00:00 doc_b\.md\n$/);
  });

  it('lets an agent that may write keep notes, and nobody else see them [R5-DOMAIN-TERMINAL]', async () => {
    const [mine, other] = [1, 2].map(() => knowledge.setup({ retrieval: 'terminal_use_write' }));
    if (mine === undefined || other === undefined) throw new Error('no setups');
    expect(await shell(mine, 'echo noted > notes.md')).toBe('(no output)');
    expect(await shell(mine, 'cat notes.md')).toBe('noted\n');
    expect(await shell(other, 'ls')).not.toContain('notes.md');
    expect(await reading('ls')).not.toContain('notes.md');
    await mine.close();
    await other.close();
  });

  it('leaves no folder behind', async () => {
    const own = await loadKnowledge(data, { sandbox: await bubblewrapSandbox(), workspace });
    await shell(own.setup({ retrieval: 'terminal_use' }), 'ls');
    const path = paths.at(-1) ?? '';
    expect(existsSync(path)).toBe(true);
    await own.close();
    expect(existsSync(path)).toBe(false);
  });
});

describe('a sandbox that does not confine files', () => {
  it('gets no shell: it would be one over the whole machine [R5-DOMAIN-TERMINAL]', async () => {
    const knowledge = await loadKnowledge(data, { sandbox: processSandbox(), workspace: workspaceFolder() });
    const [shell] = knowledge.setup({ retrieval: 'terminal_use' }).tools;
    await expect(shell?.call(new Map([['command', 'ls']]))).rejects.toThrow(/does not confine files/);
  });
});
