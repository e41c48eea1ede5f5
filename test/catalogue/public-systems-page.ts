/**
 * docs/linter-examples.md, made of what the linter says about three public systems and of how each finding was judged.
 *
 *   node --import tsx test/catalogue/public-systems-page.ts   writes it
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { lint } from 'flyball/catalogue';
import { root } from '../../scripts/files.mjs';
import { changed, systems } from './public-systems.js';

export const PAGE = 'docs/linter-examples.md';

interface Judged {
  readonly title: string;
  readonly about: string;
  /** By rule: whether an expert would agree, and why. */
  readonly findings: Readonly<Record<string, string>>;
  readonly after: string;
}

const A7 = 'Yes, for long tasks: every page that was read is sent again with each later call.';
const A2 =
  'Partly. A model that reads what came back and asks again decides something that code cannot. For a worker that calls its tool once, yes.';
const V6 = 'Yes. Web pages reach a model, and anyone can write a web page.';

const JUDGED: Readonly<Record<keyof typeof systems, Judged>> = {
  supervisor: {
    title: 'A supervisor with workers',
    about:
      'A supervisor routes one shared message list between a researcher with web tools and a coder that runs Python, as in the supervisor tutorials of LangGraph. Every worker reads the whole list.',
    findings: {
      'O6 requires O17':
        'Yes. A worker that reads the whole conversation pays for it with every call and gains nothing from the split.',
      'I2 requires V6': V6,
      IA2: 'Yes. A page could make the model run code, and nothing confines it.',
      CE5: 'Yes. This is the same mistake as the missing O17, reported at each worker.',
      A7,
      A2,
    },
    after:
      'Each worker gets a brief and its own context (`isolated`), tool results pass `injectionShield`, Python runs in a sandbox, and old tool results are pruned.',
  },
  debate: {
    title: 'A debate with a judge',
    about:
      'Three copies of one model argue for two rounds, and a fourth decides, after the papers on multi-agent debate; Liang et al. (2023) have a judge.',
    findings: {
      'SEAT-MODEL':
        'Yes, and some would call it a warning: copies of one model share its mistakes, so they can agree on a wrong answer. It is information because the catalogue prefers another model and does not require one.',
    },
    after: 'The judge is a model of another provider.',
  },
  research: {
    title: 'A research pipeline',
    about:
      'A planner writes queries, a searcher reads the web for one query after the other, and a writer makes a report. The research examples of several agent SDKs have this shape; some of them already search in parallel.',
    findings: {
      '*agent requires V5': 'Yes. The report contains text from the web, and nothing checks it on the way in or out.',
      'O2 requires S6':
        'Partly. Queries that cannot be parsed break such pipelines. The last step writes prose, and a schema for it is too much to ask.',
      'O2 requires V20': 'Partly, for the same reason.',
      'I2 requires V6': V6,
      A7,
      A2,
      A8: 'Yes. The searches need nothing of each other.',
    },
    after:
      'Planner and writer have a schema and a check, searches run at the same time in contexts of their own (`mapReduce`, `isolated`), and guards and the shield stand where text comes in.',
  },
};

const HEAD = `# What the linter says about three public systems

This page shows the findings of \`flyball patterns check\` for three kinds of agent systems that public tutorials teach, and whether an expert would agree with each. Read it to see what the [linter](catalogue.md#check-a-composition) finds before a system runs, and how a composition changes to resolve it.

The systems are written as compositions in \`test/catalogue/public-systems.ts\`. Patterns that are not built yet are described by hand. The judgments are those of the maintainers. The tables are generated from what the linter returns, and a test fails if they differ.
`;

/** Every finding of a system needs a judgment, and no judgment is left over. */
export function unjudged(name: keyof typeof systems): readonly string[] {
  const found = new Set(lint(systems[name]).map(({ rule }) => rule));
  const judged = Object.keys(JUDGED[name].findings);
  return [
    ...[...found].filter((rule) => !judged.includes(rule)).map((rule) => `${rule} is not judged`),
    ...judged.filter((rule) => !found.has(rule)).map((rule) => `${rule} is not found`),
  ];
}

function section(name: keyof typeof systems): string {
  const { title, about, findings, after } = JUDGED[name];
  const rows = lint(systems[name]).map(
    ({ level, at, rule, why, change }) =>
      `| ${level} | ${at} | ${rule} | ${why} ${change} | ${findings[rule] ?? 'not judged'} |`,
  );
  const left = [...new Set(lint(changed[name]).map(({ level, rule }) => `${level} \`${rule}\``))];
  return `## ${title}

${about}

| Level | Where | Rule | Finding and change | Would an expert agree? |
| --- | --- | --- | --- | --- |
${rows.join('\n').replaceAll('| *agent', '| \\*agent')}

**After the changes.** ${after} The linter then reports ${left.length === 0 ? 'nothing' : left.join(', ')}.
`;
}

export function systemsPage(): string {
  const names = Object.keys(systems) as readonly (keyof typeof systems)[];
  return [HEAD, ...names.map(section)].join('\n');
}

if (process.argv[1] === fileURLToPath(import.meta.url)) writeFileSync(join(root, PAGE), systemsPage());
