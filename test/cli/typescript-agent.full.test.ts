import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { readyFor, type TypeScriptSupport } from '../../packages/flyball/src/cli/typescript.js';
import { root } from '../../scripts/files.mjs';
import { type Desk, lastJson, newDesk } from './flyball.js';

let desk: Desk;
beforeEach(() => {
  desk = newDesk();
  mkdirSync(join(desk.folder, 'node_modules'));
  symlinkSync(join(root, 'packages/flyball'), join(desk.folder, 'node_modules/flyball')); // as npm installs a folder
});
afterEach(() => desk.clear());

function file(name: string, text: string): void {
  writeFileSync(join(desk.folder, name), text);
}

const DOUBLE = `import { type Agent, done, FlyballError } from 'flyball';
interface Given { readonly n: number }
export const agents = {
  double: (async (run, { n }) => {
    if (n < 0) throw new FlyballError('INPUT_INVALID', 'It is below zero.');
    run.note({ kind: 'doubling' });
    return done(n * 2);
  }) satisfies Agent<Given, number>,
  wait: (async (run) => done(await run.wait({ name: 'word' }))) satisfies Agent<null, unknown>,
};
`;

describe('flyball run agent.ts', () => {
  it.each([
    ['as an ES module', '{ "type": "module" }', 'agent.ts'],
    ['without a package.json that says what it is', undefined, 'agent.ts'],
    ['with an ending that says it', undefined, 'agent.mts'],
  ])('runs an agent that imports flyball, %s [R3-CLI-RUN-TS]', async (_how, manifest, name) => {
    if (manifest !== undefined) file('package.json', manifest);
    file(name, DOUBLE);
    const { code, out, error } = await desk.flyball('run', name, '--agent', 'double', '--input', '{"n":21}', '--json');
    expect(code, error).toBe(0);
    if (manifest !== undefined) expect(error).toBe(''); // a newer Node advises to say what kind of module it is
    expect(lastJson(out)).toMatchObject({ status: 'done', outcome: { value: 42 } });
  });

  it('shares the classes of flyball with the agent, so that its errors are known [R3-CLI-RUN-TS]', async () => {
    file('agent.ts', DOUBLE);
    const { out } = await desk.flyball('run', 'agent.ts', '--agent', 'double', '--input', '{"n":-1}', '--json');
    expect(lastJson(out)).toMatchObject({ outcome: { failure: { code: 'INPUT_INVALID' } } });
  });

  it('runs what a compiler made of it for CommonJS [R3-CLI-RUN-TS]', async () => {
    file(
      'agent.cjs',
      `Object.defineProperty(exports, '__esModule', { value: true });
exports.default = async (run, { n }) => ({ stop: 'done', value: n * 2 });`,
    );
    const { out } = await desk.flyball('run', 'agent.cjs', '--input', '{"n":4}', '--json');
    expect(lastJson(out)).toMatchObject({ status: 'done', outcome: { value: 8 } });
  });

  it('finds the file again when the run goes on in another process [R3-CLI-RUN-TS]', async () => {
    file('agent.ts', DOUBLE);
    expect((await desk.flyball('run', 'agent.ts', '--agent', 'wait', '--id', 'r1')).code).toBe(3);
    const { code, out } = await desk.flyball('signal', 'r1', 'word', '"tides"');
    expect(code).toBe(0);
    expect(out).toContain('tides');
  });

  it.each([
    [
      'a mistake in its syntax',
      'export default async () => {\n  const y: = 3;\n};\n',
      /agent\.ts.*(:2:|line 2|Expression expected)/s,
    ],
    [
      'a file that it imports and is not there',
      `import x from './gone.js';\nexport default x;\n`,
      /there is no file .*gone\.js.* Check the path in its imports/,
    ],
    [
      'a package that is not installed',
      `import x from 'not-installed-anywhere';\nexport default x;\n`,
      /no package not-installed-anywhere\. Install it next to the file: npm install not-installed-anywhere/,
    ],
    [
      'something that it throws while it is loaded',
      'const o: any = undefined;\n\nexport default o.x;\n',
      /agent\.ts could not be loaded, line 3: Cannot read properties of undefined/,
    ],
    ['no agent in it', 'export const answer: number = 42;\n', /does not export an agent\. Export `agents`/],
    [
      'something else than an agent',
      'export default 42 as number;\n',
      /"agent" is not an agent\. An agent is a function/,
    ],
  ])('tells what is wrong with the file: %s [R3-CLI-RUN-TS]', async (_what, text, says) => {
    file('package.json', '{ "type": "module" }');
    file('agent.ts', text);
    const { code, error, out } = await desk.flyball('run', 'agent.ts');
    expect({ code, out }).toEqual({ code: 2, out: '' });
    expect(error).toMatch(says);
    expect(error).toContain('Nothing was started. Fix that and run the command again.');
    expect(error).not.toMatch(/\n\s+at /);
  });
});

describe('a Node that cannot run TypeScript', () => {
  const without: TypeScriptSupport = {
    isBuiltIn: false,
    findTsx: () => undefined,
    register: () => Promise.reject(new Error('there is nothing to register')),
  };

  it('says how to get there where tsx is missing [R3-CLI-RUN-TS]', async () => {
    await expect(readyFor('/project/agent.ts', without)).rejects.toThrow(
      /cannot run TypeScript files such as \/project\/agent\.ts\. Install tsx next to it \(npm install --save-dev tsx\), use Node 22\.18/,
    );
  });

  it('needs nothing for JavaScript, and nothing where types are stripped by Node itself [R3-CLI-RUN-TS]', async () => {
    await expect(readyFor('/project/agent.mjs', without)).resolves.toBeUndefined();
    await expect(readyFor('/project/agent.ts', { ...without, isBuiltIn: true })).resolves.toBeUndefined();
  });

  it('is given the tsx of the project once [R3-CLI-RUN-TS]', async () => {
    const registered: string[] = [];
    const support: TypeScriptSupport = {
      isBuiltIn: false,
      findTsx: () => '/project/node_modules/tsx',
      register: async (tsx) => void registered.push(tsx),
    };
    await readyFor('/project/agent.ts', support);
    await readyFor('/project/tools/more.mts', support);
    expect(registered).toEqual(['/project/node_modules/tsx']);
  });
});
