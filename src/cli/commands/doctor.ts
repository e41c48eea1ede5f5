import type { Command } from 'commander';
import { type Call, type CommonOptions, newCommand, type Perform } from '../command.js';
import type { Finding, Section } from '../doctor/finding.js';
import { machineFindings, sandboxFindings } from '../doctor/machine.js';
import { modelFindings } from '../doctor/models.js';
import { EXIT, type ExitCode } from '../exit-codes.js';
import type { Screen } from '../screen.js';

interface Options extends CommonOptions {
  readonly ask: boolean;
}

const ABOUT =
  'Look at what is here: which models are chosen and whether they answer, which providers are configured, ' +
  'what confines tools, where runs are kept. Keys are never shown. A chosen model is asked for one word; --no-ask leaves that out.';

export function doctorCommand(perform: Perform): Command {
  return newCommand('doctor', ABOUT, [
    'flyball doctor',
    'FLYBALL_MODEL=ollama/llama3.2 flyball doctor',
    'flyball doctor --json',
  ])
    .option('--no-ask', 'do not ask the chosen models')
    .action((options: Options) => perform(options, {}, (call) => doctor(call, options)));
}

async function doctor({ screen, place }: Call, { ask }: Options): Promise<ExitCode> {
  screen.status('looking around …');
  const sections: readonly Section[] = [
    { title: 'Models', findings: await modelFindings(process.env, { ask }) },
    { title: 'Sandboxes', findings: await sandboxFindings() },
    { title: 'Machine', findings: await machineFindings(place.database) },
  ];
  screen.status('');
  screen.data({ kind: 'doctor', sections });
  for (const section of sections) show(screen, section);
  const problems = sections.flatMap(({ findings }) => findings).filter(({ state }) => state === 'problem');
  return problems.length === 0 ? EXIT.ok : EXIT.failed;
}

const MARKS = { ok: ['green', '✓'], absent: ['dim', '·'], problem: ['red', '✗'] } as const;

function show(screen: Screen, { title, findings }: Section): void {
  screen.line(screen.paint('bold', title));
  const width = Math.max(...findings.map(({ about }) => about.length));
  for (const finding of findings) screen.line(lineOf(screen, finding, width));
  screen.line();
}

function lineOf(screen: Screen, { about, state, says, next }: Finding, width: number): string {
  const [colour, mark] = MARKS[state];
  const advice = next === undefined ? '' : `\n    ${' '.repeat(width)}  ${screen.paint('dim', next)}`;
  return `  ${screen.paint(colour, mark)} ${about.padEnd(width)}  ${says}${advice}`;
}
