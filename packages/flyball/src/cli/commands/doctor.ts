import type { Command } from 'commander';
import { type Call, type CommonOptions, newCommand, type Perform } from '../command.js';
import type { Finding, Section } from '../doctor/finding.js';
import { withoutKeys } from '../doctor/keys.js';
import { machineFindings } from '../doctor/machine.js';
import { modelFindings, modelsToAsk } from '../doctor/models.js';
import { sandboxFindings } from '../doctor/sandboxes.js';
import { EXIT, type ExitCode } from '../exit-codes.js';
import { printable } from '../printable.js';
import type { Screen } from '../screen.js';

interface Options extends CommonOptions {
  readonly ask: boolean;
}

const ABOUT =
  'Check models, sandboxes and the database, and explain how to fix problems. ' +
  'API keys are never shown. Each configured model is asked for one word, which costs almost nothing; --no-ask skips that.';

export function doctorCommand(perform: Perform): Command {
  return newCommand('doctor', ABOUT, [
    'flyball doctor',
    'FLYBALL_MODEL=ollama/llama3.2 flyball doctor',
    'flyball doctor --json',
  ])
    .option('--no-ask', 'do not call the configured models')
    .action((options: Options) => perform(options, {}, (call) => doctor(call, options)));
}

async function doctor({ screen, place }: Call, { ask }: Options): Promise<ExitCode> {
  const { env } = process;
  const began = {
    Models: modelFindings(env, { ask }),
    Sandboxes: sandboxFindings(),
    Machine: machineFindings(place),
  };
  for (const looking of Object.values(began)) looking.catch(() => undefined); // met below, in the order of the sections
  const clean = withoutKeys(env);
  const asked = ask ? await modelsToAsk(env) : [];
  const sections: Section[] = [];
  screen.status(asked.length === 0 ? 'checking …' : `asking ${asked.join(', ')} …`);
  for (const [title, looking] of Object.entries(began)) {
    const section = { title, findings: (await looking).map((finding) => cleaned(finding, clean)) };
    sections.push(section);
    show(screen, section);
  }
  screen.status('');
  screen.data({ kind: 'doctor', sections });
  const problems = sections.flatMap(({ findings }) => findings).filter(({ state }) => state === 'problem');
  return problems.length === 0 ? EXIT.ok : EXIT.failed;
}

function cleaned(finding: Finding, clean: (text: string) => string): Finding {
  const { says, next } = finding;
  return { ...finding, says: clean(says), ...(next === undefined ? {} : { next: clean(next) }) };
}

const MARKS = { ok: ['green', '✓'], absent: ['dim', '·'], problem: ['red', '✗'] } as const;

function show(screen: Screen, { title, findings }: Section): void {
  screen.line(screen.paint('bold', title));
  const width = Math.max(...findings.map(({ about }) => about.length));
  for (const finding of findings) screen.line(lineOf(screen, finding, width));
  screen.line();
}

function lineOf(screen: Screen, { about, state, says, next }: Finding, width: number): string {
  const [color, mark] = MARKS[state];
  const advice = next === undefined ? '' : `\n    ${' '.repeat(width)}  ${screen.paint('dim', printable(next))}`;
  return `  ${screen.paint(color, mark)} ${about.padEnd(width)}  ${printable(says)}${advice}`;
}
