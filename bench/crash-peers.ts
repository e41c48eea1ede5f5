// shows: R2-SHOW-PEERS
/** The crash test of the peers: SIGKILL inside a side-effecting tool, then resume. The effect belongs in the ledger once. */
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type ChildEnd, runChild } from './measure/child.js';
import { inFolder } from './measure/folder.js';
import { type Peer, peer } from './measure/peers.js';
import { heading, judge, type Target, table } from './measure/report.js';

interface Said {
  readonly stop: string;
  readonly doubts?: number;
}
type Scenario = 'inside' | 'parallel' | 'wait' | 'inside-unverified';
type Life = (folder: string, scenario: Scenario, phase: 'run' | 'resume') => Promise<ChildEnd<Said>>;

const SCENARIOS: Readonly<Record<Scenario, string>> = {
  inside: 'killed inside the tool, after its effect',
  parallel: 'killed in one tool, its parallel sibling already done',
  wait: 'an effect, then a wait in another process',
  'inside-unverified': 'killed inside a tool that declares no `verify`',
};

interface Ledger {
  readonly charges: number;
  readonly lines: string;
  readonly end: string;
  readonly doubts: number;
}

/** Two lives of one run, and what they left in the ledger. */
async function crash(life: Life, scenario: Scenario): Promise<Ledger> {
  return inFolder(async (top) => {
    const folder = join(top, scenario);
    mkdirSync(folder);
    const first = await life(folder, scenario, 'run');
    if (scenario !== 'wait' && first.signal !== 'SIGKILL')
      throw new Error(`The first life was not killed:\n${first.output}`);
    const second = await life(folder, scenario, 'resume');
    if (second.said === undefined) throw new Error(`The second life failed:\n${second.output.slice(0, 2_000)}`);
    const lines = linesIn(folder);
    return {
      charges: lines.filter((line) => line === 'charge').length,
      lines: lines.join(', '),
      end: second.said.stop,
      doubts: second.said.doubts ?? 0,
    };
  });
}

function linesIn(folder: string): readonly string[] {
  const text = (name: string): readonly string[] => {
    const path = join(folder, name);
    return existsSync(path) ? readFileSync(path, 'utf8').trim().split('\n') : [];
  };
  const keyed = text('ledger.jsonl').map((line) => `${(JSON.parse(line) as { what: unknown }).what}`);
  return [...keyed, ...text('ledger.txt')];
}

const ours: Life = (...parameters) => runChild(new URL('./programs/flyball-crash.js', import.meta.url), parameters);
const theirs = (found: Peer, program: string): Life => {
  return (...parameters) => found.run(program, parameters);
};

heading('Crash test of the peers', [
  'A first process is killed with SIGKILL inside a tool, a second one goes on. Each effect appends a line to a ledger.',
]);
const contestants: { readonly name: string; readonly life: Life; readonly scenarios: readonly Scenario[] }[] = [
  { name: 'flyball on SQLite', life: ours, scenarios: ['inside', 'parallel', 'wait', 'inside-unverified'] },
];
for (const [name, scenarios] of [
  ['langgraph', ['inside', 'parallel', 'wait']],
  ['mastra', ['inside', 'parallel']],
] as const) {
  const found = peer(process.cwd(), name);
  if ('missing' in found) console.log(`  Not in this run: ${found.missing}`);
  else contestants.push({ name: found.peer.version, life: theirs(found.peer, `${name}-crash.mjs`), scenarios });
}

const targets: Target[] = [];
const rows: (string | number)[][] = [];
for (const { name, life, scenarios } of contestants) {
  for (const scenario of scenarios) {
    const found = await crash(life, scenario);
    const end = found.doubts > 0 ? `${found.end}, ${found.doubts} in doubt` : found.end;
    rows.push([`${name}: ${SCENARIOS[scenario]}`, found.charges, found.lines, end]);
    if (life === ours) {
      const isReported = scenario !== 'inside-unverified' || found.doubts === 1;
      targets.push({
        says: `flyball, ${SCENARIOS[scenario]}: ${found.charges} charge in the ledger${scenario === 'inside-unverified' ? ', and the doubt is reported' : ''}`,
        met: found.charges === 1 && isReported ? 'met' : 'missed',
      });
    }
  }
}
table(['', 'charges', 'ledger', 'the second life ended'], rows);
console.log(
  '  Not tried: a wait inside a tool of Mastra. LangGraph runs a tool that waits again from its start, as documented.\n',
);
judge(targets);
