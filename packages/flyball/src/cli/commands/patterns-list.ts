import type { Command } from 'commander';
import { Option } from 'commander';
import { catalogueJson } from '../../catalogue/json.js';
import type { CatalogueEntry } from '../../catalogue/types.js';
import { type Call, type CommonOptions, type Perform, plainCommand } from '../command.js';
import { EXIT, type ExitCode } from '../exit-codes.js';

const CATEGORIES = ['signal', 'knowledge', 'reasoning', 'orchestration', 'reliability', 'integration', 'humanizer'];

interface Options extends CommonOptions {
  readonly category?: string;
}

export function listPatternsCommand(perform: Perform): Command {
  return plainCommand('list', 'List the patterns of the catalogue: id, function, kind, call formula and status.', [
    'flyball patterns list',
    'flyball patterns list --category orchestration',
    'flyball patterns list --json | jq -r \'.patterns[] | select(.status == "complete") | .export\'',
  ])
    .addOption(new Option('--category <name>', 'only patterns of this category').choices(CATEGORIES))
    .action((options: Options) => perform(options, {}, (call) => list(call, options)));
}

async function list({ screen }: Call, { category }: Options): Promise<ExitCode> {
  const patterns = catalogueJson().patterns.filter((each) => category === undefined || each.category === category);
  screen.data({ kind: 'patterns', patterns: patterns.map(row) });
  const columns = patterns.map(({ id, exports: [name = ''], kind, formula, status, clauses }) => [
    id,
    name,
    kind,
    formula,
    statusText(status, clauses.length),
  ]);
  const widths = [0, 1, 2].map((column) => Math.max(...columns.map((cells) => cells[column]?.length ?? 0)));
  for (const [id = '', name = '', kind = '', formula = '', status = ''] of columns)
    screen.line(
      [
        id.padEnd(widths[0] ?? 0),
        name.padEnd(widths[1] ?? 0),
        kind.padEnd(widths[2] ?? 0),
        status.padEnd(STATUS_WIDTH),
        formula,
      ]
        .join('  ')
        .trimEnd(),
    );
  return EXIT.ok;
}

const STATUS_WIDTH = 'not built'.length;

const row = ({ id, name, category, exports: [main = ''], kind, status }: CatalogueEntry) => ({
  id,
  name,
  category,
  export: main,
  kind,
  status,
});

/** `complete`, how many clauses are missing, or that none is there. */
export function statusText(status: CatalogueEntry['status'], clauses?: number): string {
  if (status === 'complete') return status;
  return status.missing.length === clauses ? 'not built' : `${status.missing.length} missing`;
}
