import { type Composition, lint } from 'flyball/catalogue';
import { describe, expect, it } from 'vitest';
import { seat, use } from './systems.js';

const rules = (subject: Composition) => lint(subject).map(({ rule }) => rule);
const found = (rule: string, subject: Composition) => lint(subject).filter((each) => each.rule === rule);
const loop = (window: readonly ReturnType<typeof use>[]) =>
  use('R4', 'reAct', { params: { maxIterations: 8 }, parts: { worker: seat('w', 3), window } });

describe('what one agent has helps no other', () => {
  it('a window that is pruned in one agent does not excuse another [R17-ANTI-PATTERNS]', () => {
    const agents = { tidy: loop([use('K7', 'pruning')]), hoarder: loop([]) };
    expect(found('A7', { agents }).map(({ at }) => at)).toEqual(['hoarder > reAct (R4)']);
    expect(rules({ agents: { hoarder: loop([]) }, host: ['K7', 'V9', 'V10', 'V12', 'V14'] })).not.toContain('A7');
  });

  it('a chain in one agent does not excuse the long prompt of another [R17-ANTI-PATTERNS]', () => {
    const system = { agents: { bot: { owner: 'ann', instructionTokens: 9_000 } } };
    const chain = use('O2', 'sequence');
    expect(rules({ agents: { bot: loop([]), chain }, system })).toContain('A1');
    expect(rules({ agents: { bot: chain }, system })).not.toContain('A1');
    expect(rules({ agents: { chain }, system })).not.toContain('A1'); // a part of it, by a name of its own
  });

  it.each([
    ['HA2', 'H10', {}],
    ['HA3', 'H7', {}],
    ['HA4', 'H5', {}],
    ['HA5', 'H9', {}],
    ['CE1', 'S9', { profile: ['safety-critical'] }],
    ['CE6', 'H8', {}],
  ] as const)('%s names the place of %s in the composition [R17-FINDINGS]', (rule, id, more) => {
    const agents = {
      plain: use('S1', 'zeroShot'),
      friend: use('S1', 'zeroShot', { parts: { agent: use(id, 'own') } }),
    };
    expect(found(rule, { agents, ...more }).map(({ at }) => at)).toEqual([
      `friend > zeroShot (S1) > agent > own (${id})`,
    ]);
  });
});

describe('conditions that the composition decides', () => {
  it('a privileged tool of a server needs a sandbox, as one that runs code does [R17-CONDITIONS]', () => {
    const agents = { bot: use('I3', 'openMcpPool') };
    expect(rules({ agents, system: { tools: [{ name: 'admin', privileged: true }] } })).toContain('I3 requires V8');
    expect(rules({ agents, system: { tools: [{ name: 'read', privileged: false }] } })).not.toContain('I3 requires V8');
  });

  it('counts workers and tools, and advises what fits so many [R17-CONDITIONS]', () => {
    const crew = (workers: number) =>
      use('O6', 'orchestrator', { parts: { workers: Array.from({ length: workers }, () => loop([])) } });
    expect(rules({ agents: { bot: crew(11) } })).toContain('O6 upgrades to O7');
    expect(rules({ agents: { bot: crew(10) } })).not.toContain('O6 upgrades to O7');
    const shown = (tools: number) => use('R4', 'reAct', { parts: { worker: seat('w', tools) } });
    expect(rules({ agents: { bot: shown(16) } })).toContain('I2 upgrades to I3');
    expect(rules({ agents: { bot: shown(15) } })).not.toContain('I2 upgrades to I3');
  });
});
